"""Accept a message into somebody's inbox, or refuse it without telling tales."""

from enum import Enum, auto

import accounts.selectors
import accounts.services
from accounts.drafts import ComposeDraft
from accounts.selectors import Actor
from nekonymous_site.crypto.identifiers import ChatId
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.seal_message import queue_sealed_message
from nekonymous_site.workflows.ticket_content import MessageContent


class MessageTaken(Enum):
    """What the sender is told. `NOT_TAKING` is one answer for full, unreachable and gone."""

    ACCEPTED = auto()
    NOT_TAKING = auto()
    DEAD_LINK = auto()


def send_anonymous_message(
    pipeline: StatementPipeline,
    content: MessageContent,
    *,
    sender: Actor,
    draft: ComposeDraft,
    chat_id: ChatId,
    message_id: int,
) -> MessageTaken:
    """Seal a message for the draft's recipient and close the draft.

    Takes the recipient's inbox lock, so that two senders at 49 unread cannot both enter. Not to be repeated:
    a second call makes a second ticket; the update's receipt keeps it single.
    """
    accounts.services.queue_inbox_lock(pipeline, draft.recipient)
    gate = accounts.selectors.queue_recipient_gate(pipeline, draft.recipient, slug=draft.slug).value
    accounts.services.queue_draft_closed(pipeline, owner=sender.account_id)
    if gate is None:
        return MessageTaken.NOT_TAKING
    if not gate.link_active:
        return MessageTaken.DEAD_LINK
    if not gate.reachable or not gate.has_room:
        return MessageTaken.NOT_TAKING
    queue_sealed_message(
        pipeline,
        content,
        sender=sender,
        sender_chat_id=chat_id,
        sender_message_id=message_id,
        recipient=draft.recipient,
        recipient_actor_hash=gate.actor_hash,
    )
    return MessageTaken.ACCEPTED
