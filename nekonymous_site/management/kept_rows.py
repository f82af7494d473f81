"""What `outbox` and `updates` have in common: rows that were set aside are listed, replayed or dropped.

Nothing of their content is ever shown. A row is called by its handle, the first digits of its random id.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from nekonymous_site import bell
from nekonymous_site.management.text_tables import text_table
from nekonymous_site.pipeline import Answer, StatementPipeline, durable_transaction
from nekonymous_site.startup import refuse_wrong_configuration
from outbox.errors import NotReplayed, WhyNotReplayed
from outbox.row_handles import is_handle, short_handle

EXIT_WRONG_USAGE: Final = 2  # argparse's own
MOST_LISTED: Final = 100
MOST_TOLD: Final = 100
BATCH_ROWS: Final = 100
LONGEST_RING_SECONDS: Final = 1.0
_PAST_TENSE: Final = {"replay": "replayed", "drop": "dropped"}
_WORDS: Final = {
    WhyNotReplayed.GONE: "nothing has this handle any more",
    WhyNotReplayed.UNREADABLE: "its seal is spoilt, and nothing can open it",
    WhyNotReplayed.KEY_MISSING: "its key is missing here; it stays",
    WhyNotReplayed.POSTPONED: "something else stood in the way; it stays, try again",
    WhyNotReplayed.FAILED_AGAIN: "it failed again and stays",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What is shown of rows: sums, and some of the rows themselves."""

    total: int
    counts: list[dict[str, object]]
    rows: list[dict[str, object]]


@dataclass(slots=True, kw_only=True)
class _Outcome:
    """What became of the rows that were named; of what failed a hundred are told."""

    done: int = 0
    failed: int = 0
    told: list[tuple[str, WhyNotReplayed]] = field(default_factory=list)

    def note_failure(self, handle: str, why: WhyNotReplayed) -> None:
        self.failed += 1
        if len(self.told) < MOST_TOLD:
            self.told.append((handle, why))


class KeptRowsCommand(BaseCommand):
    """A command over one kind of rows; a subclass says which, how they are found and how one is replayed."""

    rows_name: str

    def queue_listing(self, pipeline: StatementPipeline, *, kind: str | None) -> Listing:
        raise NotImplementedError

    def queue_found(self, pipeline: StatementPipeline, handle: str, *, limit: int) -> Answer[list[bytes]]:
        raise NotImplementedError

    def queue_after(
        self, pipeline: StatementPipeline, *, after: bytes, kind: str | None, limit: int
    ) -> Answer[list[bytes]]:
        raise NotImplementedError

    def replay(self, row_id: bytes) -> None:
        """Replay one row in a transaction of its own; raises NotReplayed."""
        raise NotImplementedError

    def queue_dropped(self, pipeline: StatementPipeline, row_ids: Sequence[bytes]) -> Answer[list[bytes]]:
        raise NotImplementedError

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["list", "replay", "drop"])
        parser.add_argument("handles", nargs="*", metavar="handle", help="4 to 32 digits, as `list` shows 8")
        parser.add_argument("--all", action="store_true", help=f"replay or drop all {self.rows_name}")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    @override
    def handle(self, *_args: Any, action: str, handles: list[str], **options: Any) -> None:
        refuse_wrong_configuration()
        kind: str | None = options.get("kind")
        if action == "list":
            if handles or options["all"]:
                raise wrong_usage("list takes neither handles nor --all")
            self._list(kind=kind, in_json=options["json"])
            return
        if [bool(handles), kind is not None, options["all"]].count(True) != 1:
            raise wrong_usage(f"name what to {action} in one way: by handles or by an option")
        outcome = _Outcome()
        batches = self._named(handles, outcome=outcome) if handles else self._all(kind=kind)
        for row_ids in batches:
            self._work(action, row_ids, outcome=outcome)
        bell.wait_for_rings(most_seconds=LONGEST_RING_SECONDS)
        self._tell(_PAST_TENSE[action], outcome, in_json=options["json"])

    def _list(self, *, kind: str | None, in_json: bool) -> None:
        with durable_transaction() as pipeline:
            listing = self.queue_listing(pipeline, kind=kind)
        more = max(listing.total - len(listing.rows), 0)
        if in_json:
            values = {"total": listing.total, "counts": listing.counts, "rows": listing.rows, "more": more}
            self.stdout.write(json.dumps(values))
            return
        self.stdout.write(f"{self.rows_name}: {listing.total}")
        for table in (listing.counts, listing.rows):
            if table:
                self.stdout.write("\n" + text_table(table))
        if more:
            self.stdout.write(f"\nand {more} more")

    def _named(self, handles: Sequence[str], *, outcome: _Outcome) -> Iterator[list[bytes]]:
        """Find the rows that handles name, all of them before anything is done to one."""
        named: dict[bytes, None] = {}
        for given in handles:
            handle = given.lower()
            if not is_handle(handle):
                raise wrong_usage("a handle is 4 to 32 digits of 0-9 and a-f, as `list` shows them")
            with durable_transaction() as pipeline:
                found = self.queue_found(pipeline, handle, limit=3).value
            if len(found) > 1:
                begins = ", ".join(row_id.hex() for row_id in found)
                raise wrong_usage(f"{handle} names more than one, give more digits: {begins}")
            if not found:
                outcome.note_failure(handle, WhyNotReplayed.GONE)
            named |= dict.fromkeys(found)
        yield list(named)

    def _all(self, *, kind: str | None) -> Iterator[list[bytes]]:
        """Walk along all rows by their ids, so that one that stays is met once."""
        after = b""
        while True:
            with durable_transaction() as pipeline:
                row_ids = self.queue_after(pipeline, after=after, kind=kind, limit=BATCH_ROWS).value
            if not row_ids:
                return
            yield row_ids
            after = row_ids[-1]

    def _work(self, action: str, row_ids: Sequence[bytes], *, outcome: _Outcome) -> None:
        if action == "replay":
            self._replay_each(row_ids, outcome=outcome)
        else:
            self._drop(row_ids, outcome=outcome)
        if len(row_ids) == BATCH_ROWS:
            self.stderr.write(f"{outcome.done} {_PAST_TENSE[action]} so far")

    def _replay_each(self, row_ids: Sequence[bytes], *, outcome: _Outcome) -> None:
        for row_id in row_ids:
            try:
                self.replay(row_id)
            except NotReplayed as not_replayed:
                outcome.note_failure(short_handle(row_id), not_replayed.why)
            else:
                outcome.done += 1

    def _drop(self, row_ids: Sequence[bytes], *, outcome: _Outcome) -> None:
        with durable_transaction() as pipeline:
            dropped = set(self.queue_dropped(pipeline, row_ids).value)
        outcome.done += len(dropped)
        for row_id in row_ids:
            if row_id not in dropped:
                outcome.note_failure(short_handle(row_id), WhyNotReplayed.GONE)

    def _tell(self, past_tense: str, outcome: _Outcome, *, in_json: bool) -> None:
        if in_json:
            told = [{"handle": handle, "why": why.value} for handle, why in outcome.told]
            values = {
                past_tense: outcome.done,
                f"not_{past_tense}": told,
                "more": outcome.failed - len(told),
            }
            self.stdout.write(json.dumps(values))
        else:
            self.stdout.write(f"{outcome.done} {past_tense}")
            for handle, why in outcome.told:
                self.stdout.write(f"{handle}  {_WORDS[why]}")
        if outcome.failed:
            raise CommandError(f"{outcome.failed} could not be {past_tense}", returncode=1)


def wrong_usage(message: str) -> CommandError:
    """Make the error that ends a command whose arguments make no sense."""
    return CommandError(message, returncode=EXIT_WRONG_USAGE)
