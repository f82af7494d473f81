"""Let messages wait again whose delivery is over without having given them back."""

from typing import Final

import structlog

import accounts.inbox
import outbox.selectors
from accounts.inbox import UnreadTicket
from nekonymous_site.crypto.errors import CryptoError
from nekonymous_site.crypto.identifiers import IntentTag
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.deliver_ticket import delivery_tag

log = structlog.get_logger("reconcile")

BATCH_ROWS: Final = 200


def reconcile_inboxes(pipeline: StatementPipeline) -> int:
    """Give back at most 200 orphaned rows, drawn by lot; tells how many. May be repeated.

    An intent whose own seal is spoilt becomes a dead letter and cannot say whose row it was for; and somebody
    may have deleted one. The tag of a row's intent follows from the capability in the row and from nothing
    else, so each row is opened. One that does not open here stays as it is. Waits for nobody, and touches no
    row whose intent may still be sent.
    """
    held = accounts.inbox.queue_sending_held(pipeline, limit=BATCH_ROWS).value
    rows = {tag: row for row in held if (tag := _open_tag(row)) is not None}
    standings = outbox.selectors.queue_intent_standings(pipeline, list(rows)).value
    given_back = 0
    for tag, row in rows.items():
        standing = standings.get(tag)
        if standing is None or standing.is_over:
            accounts.inbox.queue_unread_returned(
                pipeline,
                row.dedupe_tag,
                attempt_id=row.attempt_id,
                announce=True,
                # Of what has left no trace nobody knows what became of it.
                possible_repeat=standing is None or standing.may_have_arrived,
            )
            given_back += 1
    if given_back:
        log.warning("rows_given_back")
    return given_back


def _open_tag(row: UnreadTicket) -> IntentTag | None:
    try:
        return delivery_tag(row.capability(), generation=row.generation)
    except CryptoError as error:
        log.warning("unread_row_unreadable", error_class=type(error).__name__)
        return None
