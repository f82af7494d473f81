"""Let the order in which waiting messages lie tell nothing of their tickets."""

from typing import Final

import accounts.inbox
from nekonymous_site.pipeline import StatementPipeline

BATCH_ROWS: Final = 500


def mix_inboxes(pipeline: StatementPipeline) -> int:
    """Write at most 500 waiting rows anew, drawn and ordered by lot; tells how many. May be repeated.

    A plain dump lists rows as they were written last. Without this the n-th undelivered ticket of a day has
    the n-th unread row of that day, and so an account. Nothing in a row changes and nobody is waited for.
    """
    drawn = accounts.inbox.queue_waiting_drawn(pipeline, limit=BATCH_ROWS).value
    accounts.inbox.queue_rewritten(pipeline, drawn)
    return len(drawn)
