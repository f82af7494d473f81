"""What becomes of a message that Telegram refuses to show (docs/decisions/0021-what-cannot-be-shown.md)."""

from dataclasses import dataclass, field

import structlog

import accounts.inbox
import accounts.selectors
import outbox.services
import tickets.selectors
from accounts.selectors import Reachable
from nekonymous_site.crypto import blind_tags, ticket_capsules
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.deliver_ticket import DeliveryOrder, call_off_delivery, give_back_delivery
from nekonymous_site.workflows.ticket_content import Route

log = structlog.get_logger("refusals")


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedDelivery:
    """Whether the message is gone now, and who sent it, if they are to be told."""

    is_gone: bool
    sender: Reachable | None = field(default=None, repr=False)


def refuse_delivery(
    pipeline: StatementPipeline, order: DeliveryOrder, *, for_good: bool, possible_repeat: bool
) -> RefusedDelivery | None:
    """Let a refused message wait until it is asked for again; end one that was refused for good twice.

    Two refusals of two drains, so that no single mistake of the Bot API destroys anything. The end locks the
    sender's lane beside the recipient's, without waiting: while somebody else holds it the message waits on,
    marked, and the next drain ends it. None when the row is not this attempt's any more. Raises UnknownKeyId.
    """
    if for_good and _may_end(pipeline, order):
        sender = _find_sender(pipeline, order)
        if sender is None or outbox.services.queue_lane_tried(pipeline, sender.chat_id).value:
            call_off_delivery(pipeline, order)
            return RefusedDelivery(is_gone=True, sender=sender)
    waits = give_back_delivery(pipeline, order, announce=False, possible_repeat=possible_repeat)
    return RefusedDelivery(is_gone=False) if waits.value else None


def _may_end(pipeline: StatementPipeline, order: DeliveryOrder) -> bool:
    """Hold the ticket and, after it, the row, as a sender does who takes it back."""
    tickets.selectors.queue_ticket_held(pipeline, blind_tags.ticket_hash(order.capability.lookup_nonce))
    return accounts.inbox.queue_unread_refused(
        pipeline,
        accounts.inbox.dedupe_tag(order.account_id, capability=order.capability),
        attempt_id=order.attempt_id,
    ).value


def _find_sender(pipeline: StatementPipeline, order: DeliveryOrder) -> Reachable | None:
    """Find who sent a message by its route; None where nobody is there any more who could be told."""
    ticket_hash = blind_tags.ticket_hash(order.capability.lookup_nonce)
    ticket = tickets.selectors.queue_ticket(pipeline, ticket_hash).value
    if ticket is None:
        return None
    try:
        route = Route.from_bytes(ticket_capsules.open_route(order.capability, ticket.route))
        sender = accounts.selectors.queue_reachable(pipeline, route.account_id).value
    except EnvelopeUnreadable:
        log.warning("sender_unreadable")
        return None
    return sender if sender is not None and sender.reachable else None
