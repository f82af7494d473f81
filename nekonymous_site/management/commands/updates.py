"""Parked updates, for an operator: what could not be taken is listed, taken after all, or dropped."""

from collections.abc import Sequence

from typing_extensions import override

import outbox.parked_updates
from nekonymous_site.bot.poison_updates import replay_update
from nekonymous_site.management.kept_rows import MOST_LISTED, KeptRowsCommand, Listing
from nekonymous_site.pipeline import Answer, StatementPipeline
from outbox.row_handles import short_handle


class Command(KeptRowsCommand):
    rows_name = "parked updates"
    help = (
        "Lists parked updates, which failed again and again and lie sealed for 7 days: how many of which age "
        "and size, and the oldest hundred by handle, day and size; never what is in them or whose they are. "
        "replay takes updates up again as if they came now, past all rates; one that fails again stays. drop "
        "deletes them for good. By handles or --all. Exit codes: 0 done, 1 could not be done, for some at "
        "least, 2 wrong usage, 78 wrong configuration."
    )

    @override
    def queue_listing(self, pipeline: StatementPipeline, *, kind: str | None) -> Listing:
        counts = outbox.parked_updates.queue_parked_counts(pipeline)
        updates = outbox.parked_updates.queue_oldest_parked(pipeline, limit=MOST_LISTED)
        return Listing(
            total=sum(count.updates for count in counts.value),
            counts=[
                {"age_days": count.age_days, "padded_bytes": count.padded_bytes, "updates": count.updates}
                for count in counts.value
            ],
            rows=[
                {
                    "handle": short_handle(update.parked_id),
                    "day": update.parked_on.isoformat(),
                    "padded_bytes": update.padded_bytes,
                }
                for update in updates.value
            ],
        )

    @override
    def queue_found(self, pipeline: StatementPipeline, handle: str, *, limit: int) -> Answer[list[bytes]]:
        return outbox.parked_updates.queue_parked_found(pipeline, handle, limit=limit)

    @override
    def queue_after(
        self, pipeline: StatementPipeline, *, after: bytes, kind: str | None, limit: int
    ) -> Answer[list[bytes]]:
        return outbox.parked_updates.queue_parked_after(pipeline, after=after, limit=limit)

    @override
    def replay(self, row_id: bytes) -> None:
        replay_update(row_id)

    @override
    def queue_dropped(self, pipeline: StatementPipeline, row_ids: Sequence[bytes]) -> Answer[list[bytes]]:
        return outbox.parked_updates.queue_parked_dropped(pipeline, row_ids)
