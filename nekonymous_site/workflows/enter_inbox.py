"""The one way into an inbox, for first messages and for answers: lock, gates, ticket, unread row."""

from dataclasses import dataclass, field

import accounts.selectors
import accounts.services
import safety.selectors
import stats.services
from accounts.selectors import Actor
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.capabilities import WithdrawToken
from nekonymous_site.crypto.identifiers import AccountId, ContactSalt
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.inbox_gates import Refused, judge
from nekonymous_site.workflows.seal_message import Origin, Recipient, queue_sealed_message
from nekonymous_site.workflows.ticket_content import MessageContent
from stats.events import StatEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The message lies in the inbox; the token takes it back until it is delivered."""

    withdraw_token: WithdrawToken = field(repr=False)


Taken = Accepted | Refused


def enter_inbox(
    pipeline: StatementPipeline,
    content: MessageContent,
    *,
    sender: Actor,
    origin: Origin,
    recipient: AccountId,
    recipient_salt: ContactSalt,
    slug: str | None = None,
    may_send_first: bool = True,
) -> Taken:
    """Seal a message for a recipient, if all gates let it in. With a slug it is a first message.

    Takes the recipient's inbox lock, so that two senders at 49 unread cannot both enter. Not to be repeated:
    a second call makes a second ticket; the update's receipt keeps it single.
    """
    accounts.services.queue_inbox_lock(pipeline, recipient)
    standing = safety.selectors.queue_standing(pipeline, blind_tags.abuse_subject_tag(sender.actor_hash))
    found = accounts.selectors.queue_recipient_gate(
        pipeline,
        recipient,
        slug=slug,
        block_tag=blind_tags.block_tag(
            recipient_salt=recipient_salt,
            recipient_account_id=recipient,
            sender_actor_hash=sender.actor_hash,
        ),
    )
    gate = judge(found.value, standing=standing.value, items=content.items, may_send_first=may_send_first)
    if isinstance(gate, Refused):
        stats.services.queue_event(pipeline, StatEvent.MESSAGE_REFUSED)
        return gate
    token = queue_sealed_message(
        pipeline,
        content,
        sender=sender,
        origin=origin,
        recipient=Recipient(account_id=recipient, actor_hash=gate.actor_hash, contact_salt=recipient_salt),
    )
    stats.services.queue_event(
        pipeline, StatEvent.REPLY_ACCEPTED if slug is None else StatEvent.MESSAGE_ACCEPTED
    )
    return Accepted(withdraw_token=token)
