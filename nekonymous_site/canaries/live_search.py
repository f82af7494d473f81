"""Looking for values that somebody names in what runs here."""

import time
from collections.abc import Iterable
from typing import Final, TextIO

import psycopg
import redis

from nekonymous_site.canaries.data_files import read_files
from nekonymous_site.canaries.database_contents import read_database
from nekonymous_site.canaries.ledger import Ledger
from nekonymous_site.canaries.marks import FEWEST_CHARACTERS, Mark, make_mark
from nekonymous_site.canaries.process_table import read_arguments
from nekonymous_site.canaries.sweep_report import SweepReport
from nekonymous_site.canaries.valkey_contents import read_keys
from nekonymous_site.environment import Environment

MOST_VALUES: Final = 100
LONGEST_VALUE_CHARACTERS: Final = 4096


class ValuesUnusable(Exception):
    """Standard input does not hold values to look for; the message repeats none of them."""


class NothingRuns(Exception):
    """A server to be searched is not named or does not answer, so nothing can be said."""


def read_values(stream: TextIO) -> list[Mark]:
    """Read values, one a line, blank lines aside; each is called by its line. Raises ValuesUnusable."""
    marks = []
    for number in range(1, MOST_VALUES + 2):
        line = _read_line(stream, number=number)
        if not line:
            break
        value = line.strip()
        if number > MOST_VALUES or len(line) > LONGEST_VALUE_CHARACTERS:
            reason = (
                f"at most {MOST_VALUES} lines of less than {LONGEST_VALUE_CHARACTERS} characters can be read"
            )
            raise ValuesUnusable(reason)
        if value:
            marks.append(_make_mark(value, number=number))
    if not marks:
        raise ValuesUnusable("standard input must hold the values to look for, one a line")
    return marks


def search_what_runs(settings: Environment, *, marks: Iterable[Mark]) -> SweepReport:
    """Search tables, Valkey, the data folder and all command lines. Raises NothingRuns.

    Only reads, and may be repeated.
    """
    started = time.monotonic()
    ledger = Ledger(marks)
    if settings.database_url is None or settings.redis_url is None:
        raise NothingRuns("nothing is running here: start ./neko up, or name DATABASE_URL and REDIS_URL")
    try:
        ledger.search(read_database(settings.database_url), moment="now")
        ledger.search(read_keys(settings.redis_url), moment="now")
    except (psycopg.Error, redis.RedisError) as error:
        reason = f"a server does not answer as it should ({type(error).__name__}), so nothing can be said"
        raise NothingRuns(reason) from None
    ledger.search(read_files(settings.data_dir), moment="now")
    ledger.search(read_arguments(), moment="now")
    return SweepReport(
        totals=ledger.totals,
        values=len(ledger.marks),
        found=ledger.findings(),
        seconds=time.monotonic() - started,
    )


def _read_line(stream: TextIO, *, number: int) -> str:
    try:
        return stream.readline(LONGEST_VALUE_CHARACTERS + 1)
    except UnicodeDecodeError:
        reason = f"line {number} is no text in UTF-8"
        raise ValuesUnusable(reason) from None


def _make_mark(value: str, *, number: int) -> Mark:
    try:
        return make_mark(f"line {number}", value)
    except ValueError:
        reason = f"line {number} has less than {FEWEST_CHARACTERS} characters and would be found by chance"
        raise ValuesUnusable(reason) from None
