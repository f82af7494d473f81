"""The database restarted, cut off, locked, standing still: updates come again and nothing is lost."""

import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import psycopg

from nekonymous_site.fault_lab.lab import Lab
from nekonymous_site.fault_lab.load import Load, load
from nekonymous_site.fault_lab.scenario import Findings, Scenario

LEAD_SECONDS: Final = 2.0
LOCKED_SECONDS: Final = 8.0
HANG_SECONDS: Final = 8.0
CUTS: Final = 5
FELT_SECONDS: Final = 1.0
SHORT_RETRY_AFTER_SECONDS: Final = 10.0
# A wait for a lock ends after three seconds, a statement after five; a crowd of sixteen shares the threads.
LONGEST_REFUSAL_SECONDS: Final = 12.0

Trouble = Callable[[Lab], None]


def scenarios() -> Iterator[Scenario]:
    """One for each trouble."""
    troubles: dict[str, Trouble] = {
        "restarted": lambda lab: lab.servers.restart_postgres(how=signal.SIGINT),
        "crashed": lambda lab: lab.servers.restart_postgres(how=signal.SIGQUIT),
        "stands still": _stand_still,
    }
    for name, trouble in troubles.items():
        yield Scenario(name=f"Postgres {name}", play=partial(_play, trouble))
    yield Scenario(name="Postgres loses its connections", play=_play_cut)
    yield Scenario(name="Postgres makes everybody wait for a lock", play=_play_locked)


def _play(trouble: Trouble, lab: Lab, findings: Findings) -> None:
    with load(lab) as under:
        time.sleep(LEAD_SECONDS)
        trouble(lab)
        time.sleep(LEAD_SECONDS)
    _judge(under, findings)
    was_felt = under.count(200) < len(under.answers) or under.taken_seconds()[-1] > FELT_SECONDS
    findings.demand(was_felt, otherwise="nobody felt it")


def _play_cut(lab: Lab, findings: Findings) -> None:
    cut = 0
    with load(lab) as under:
        time.sleep(LEAD_SECONDS)
        for _ in range(CUTS):
            cut += lab.servers.cut_connections()
            time.sleep(LEAD_SECONDS / CUTS)
        time.sleep(LEAD_SECONDS)
    _judge(under, findings)
    findings.demand(cut, otherwise="there was no connection to be cut")


def _play_locked(lab: Lab, findings: Findings) -> None:
    with load(lab) as under:
        time.sleep(LEAD_SECONDS)
        with psycopg.connect(lab.database_url) as connection:
            connection.execute("LOCK TABLE outbox.update_receipt IN ACCESS EXCLUSIVE MODE")
            time.sleep(LOCKED_SECONDS)
    _judge(under, findings)
    refused = [one for one in under.answers if one.status == 503]
    findings.demand(refused, otherwise="nobody was told to come again")
    slowest = max((one.seconds for one in refused), default=0.0)
    findings.demand(slowest < LONGEST_REFUSAL_SECONDS, otherwise=f"a refusal took {slowest:.1f} s")


def _judge(under: Load, findings: Findings) -> None:
    findings.rounds += 1
    refused = [one for one in under.answers if one.status not in (0, 200)]
    findings.faults.extend(under.describe_failures())
    findings.demand(
        all(one.status == 503 for one in refused),
        otherwise=f"answers other than 503: {sorted({one.status for one in refused} - {503})}",
    )
    findings.demand(
        all(0 < (one.retry_after_seconds or 0) <= SHORT_RETRY_AFTER_SECONDS for one in refused),
        otherwise="a 503 asked for no short wait",
    )
    findings.notes.append(
        f"{len(under.letters)} letters, {len(refused)} answers of 503, {under.count(0)} connections lost,"
        f" slowest accept {max(under.taken_seconds(), default=0):.1f} s"
    )


def _stand_still(lab: Lab) -> None:
    with lab.servers.postgres_hanging():
        time.sleep(HANG_SECONDS)
