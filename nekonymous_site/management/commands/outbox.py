"""Dead letters, for an operator: what could not be sent is listed, sent after all, or dropped."""

from collections.abc import Sequence

from django.core.management.base import CommandParser
from typing_extensions import override

import outbox.dead_letters
from nekonymous_site import bell
from nekonymous_site.bell import Bell
from nekonymous_site.management.kept_rows import MOST_LISTED, KeptRowsCommand, Listing
from nekonymous_site.pipeline import Answer, StatementPipeline, durable_transaction
from outbox.intent_kinds import IntentKind
from outbox.row_handles import short_handle


class Command(KeptRowsCommand):
    rows_name = "dead letters"
    help = (
        "Lists dead letters, which could not be sent and lie sealed for 30 days: how many of which kind and "
        "age, and the oldest hundred by handle, kind and day; never what is in them or whose they are. "
        "replay puts letters back at the end of their chat's queue with all attempts before them, drop "
        "deletes them for good: by handles, by --kind or --all. Exit codes: 0 done, 1 could not be done, for "
        "some at least, 2 wrong usage, 78 wrong configuration."
    )

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        kinds = [kind.value for kind in IntentKind]
        parser.add_argument("--kind", choices=kinds, help="only, or all, dead letters of this kind")

    @override
    def queue_listing(self, pipeline: StatementPipeline, *, kind: str | None) -> Listing:
        counts = outbox.dead_letters.queue_letter_counts(pipeline, kind=kind)
        letters = outbox.dead_letters.queue_oldest_letters(pipeline, kind=kind, limit=MOST_LISTED)
        return Listing(
            total=sum(count.letters for count in counts.value),
            counts=[
                {"kind": count.kind, "age_days": count.age_days, "letters": count.letters}
                for count in counts.value
            ],
            rows=[
                {
                    "handle": short_handle(letter.intent_id),
                    "kind": letter.kind,
                    "day": letter.created_on.isoformat(),
                }
                for letter in letters.value
            ],
        )

    @override
    def queue_found(self, pipeline: StatementPipeline, handle: str, *, limit: int) -> Answer[list[bytes]]:
        return outbox.dead_letters.queue_letters_found(pipeline, handle, limit=limit)

    @override
    def queue_after(
        self, pipeline: StatementPipeline, *, after: bytes, kind: str | None, limit: int
    ) -> Answer[list[bytes]]:
        return outbox.dead_letters.queue_letters_after(pipeline, after=after, kind=kind, limit=limit)

    @override
    def replay(self, row_id: bytes) -> None:
        with durable_transaction() as pipeline:
            outbox.dead_letters.queue_letter_replayed(pipeline, row_id)
        bell.ring(Bell.OUTBOX)

    @override
    def queue_dropped(self, pipeline: StatementPipeline, row_ids: Sequence[bytes]) -> Answer[list[bytes]]:
        return outbox.dead_letters.queue_letters_dropped(pipeline, row_ids)
