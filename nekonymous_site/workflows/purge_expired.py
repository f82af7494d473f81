"""Let every plane delete what its time is over for, in bounded batches."""

from typing import Final

import accounts.services
import outbox.services
import safety.services
import tickets.services
from nekonymous_site.pipeline import StatementPipeline

BATCH_ROWS: Final = 500


def purge_expired(pipeline: StatementPipeline) -> int:
    """Delete at most a batch of each kind of row; tells how many rows went, 0 when all is done."""
    counts = [
        purge(pipeline, limit=BATCH_ROWS)
        for purge in (
            accounts.services.queue_expired_purged,
            tickets.services.queue_expired_purged,
            safety.services.queue_expired_purged,
            outbox.services.queue_expired_purged,
        )
    ]
    return sum(count.value for count in counts)
