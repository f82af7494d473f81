"""Answer a delivered message: the answer is a sealed ticket of its own, for whoever sent the first one."""

from dataclasses import replace
from enum import Enum, auto

import accounts.selectors
import accounts.services
from accounts.drafts import ReplyDraft
from accounts.selectors import Actor
from nekonymous_site.crypto import ticket_capsules
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import ChatId
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.seal_message import queue_sealed_message
from nekonymous_site.workflows.ticket_access import find_own_ticket
from nekonymous_site.workflows.ticket_content import MessageContent, Route


class ReplyTaken(Enum):
    """What whoever replies is told. `NOT_TAKING` is one answer for full, unreachable, gone and reset."""

    ACCEPTED = auto()
    NOT_TAKING = auto()
    BUTTON_DEAD = auto()


def open_reply(pipeline: StatementPipeline, capability: Capability, *, actor: Actor) -> bool:
    """Open a reply draft in place of whichever was open; False when this actor has no such ticket."""
    if find_own_ticket(pipeline, capability, owner=actor) is None:
        return False
    accounts.services.queue_draft(pipeline, owner=actor.account_id, draft=ReplyDraft(capability=capability))
    return True


def send_reply(
    pipeline: StatementPipeline,
    content: MessageContent,
    *,
    capability: Capability,
    sender: Actor,
    chat_id: ChatId,
    message_id: int,
) -> ReplyTaken:
    """Seal an answer for the sender of a ticket; an open draft is left as it is.

    Opens only the route. Takes the other side's inbox lock. Raises CryptoError when the route cannot be
    opened. Not to be repeated: the update's receipt keeps it single.
    """
    ticket = find_own_ticket(pipeline, capability, owner=sender)
    if ticket is None:
        return ReplyTaken.BUTTON_DEAD
    route = Route.from_bytes(ticket_capsules.open_route(capability, ticket.route))
    accounts.services.queue_inbox_lock(pipeline, route.account_id)
    gate = accounts.selectors.queue_recipient_gate(pipeline, route.account_id, slug=None).value
    if gate is None or not gate.reachable or not gate.has_room:
        return ReplyTaken.NOT_TAKING
    queue_sealed_message(
        pipeline,
        replace(content, reply_to_message_id=route.message_id),
        sender=sender,
        sender_chat_id=chat_id,
        sender_message_id=message_id,
        recipient=route.account_id,
        recipient_actor_hash=gate.actor_hash,
    )
    return ReplyTaken.ACCEPTED
