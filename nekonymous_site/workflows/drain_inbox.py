"""Turn the waiting rows of an inbox into delivery intents."""

import secrets
from typing import Any

import structlog

import accounts.inbox
import accounts.selectors
import accounts.services
import outbox.services
from accounts.inbox import UnreadTicket
from accounts.selectors import Reachable
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.deliver_ticket import DeliveryOrder, delivery_tag
from nekonymous_site.workflows.show_progress import queue_progress_end
from outbox.intent_kinds import IntentKind
from outbox.services import NewIntent

log = structlog.get_logger("drain")


def drain_one_inbox(pipeline: StatementPipeline) -> bool:
    """Take one drain request and queue a delivery for each waiting row, in order; False when none is left.

    Takes the inbox's lock. A crash before commit leaves the request for the next worker; two workers cannot
    take the same rows. What is spoilt for good stays where it is and holds up nobody else. Raises
    UnknownKeyId when another process may be able to open what cannot be opened here; the request then stays.
    """
    account_id = accounts.inbox.queue_drain_taken(pipeline).value
    if account_id is None:
        return False
    accounts.services.queue_inbox_lock(pipeline, account_id)
    recipient = _find_recipient(pipeline, account_id)
    if recipient is not None:
        attempt_id = secrets.token_bytes(16)
        rows = accounts.inbox.queue_waiting_taken(pipeline, account_id, attempt_id=attempt_id).value
        queued = [_queue_delivery(pipeline, row, recipient=recipient) for row in rows]
        if not any(queued):
            # Taken back or spoilt meanwhile: nothing will arrive that could bring the progress to its end.
            queue_progress_end(pipeline, body=_place(recipient))
    accounts.inbox.queue_drain_done(pipeline, account_id)
    return True


def _find_recipient(pipeline: StatementPipeline, account_id: AccountId) -> Reachable | None:
    try:
        return accounts.selectors.queue_reachable(pipeline, account_id).value
    except EnvelopeUnreadable:
        log.warning("account_unreadable")
        return None


def _place(recipient: Reachable) -> dict[str, Any]:
    return {
        "account": recipient.account_id.hex(),
        "chat": recipient.chat_id,
        "language": recipient.language,
    }


def _queue_delivery(pipeline: StatementPipeline, row: UnreadTicket, *, recipient: Reachable) -> bool:
    try:
        capability = row.capability()
    except EnvelopeUnreadable:
        log.warning("unread_row_unreadable")
        accounts.inbox.queue_unread_returned(
            pipeline, row.dedupe_tag, attempt_id=row.attempt_id, announce=False, possible_repeat=False
        )
        return False
    order = DeliveryOrder(account_id=recipient.account_id, attempt_id=row.attempt_id, capability=capability)
    outbox.services.queue_intent(
        pipeline,
        NewIntent(
            kind=IntentKind.TICKET,
            tag=delivery_tag(capability, generation=row.generation),
            chat_id=recipient.chat_id,
            body={**order.to_body(), **_place(recipient)},
            possible_repeat=row.possible_repeat,
        ),
    )
    return True
