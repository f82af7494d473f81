"""Answer a delivered message: the answer is a sealed ticket of its own, for whoever sent the first one."""

from dataclasses import dataclass, field, replace

import accounts.contacts
import accounts.services
from accounts.drafts import ReplyDraft
from accounts.selectors import Actor
from nekonymous_site.crypto import ticket_capsules
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.enter_inbox import Taken, enter_inbox
from nekonymous_site.workflows.inbox_gates import RefusalReason, Refused
from nekonymous_site.workflows.seal_message import Origin
from nekonymous_site.workflows.ticket_access import find_own_ticket
from nekonymous_site.workflows.ticket_content import MessageContent, Route


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyOpened:
    """The next message is an answer, to somebody who may have a nickname."""

    nickname: str | None = field(repr=False)


def open_reply(pipeline: StatementPipeline, capability: Capability, *, actor: Actor) -> ReplyOpened | None:
    """Open a reply draft in place of whichever was open; None when this actor has no such ticket.

    Opens only the route. May be repeated. Raises CryptoError when route or nickname cannot be opened.
    """
    ticket = find_own_ticket(pipeline, capability, owner=actor)
    if ticket is None:
        return None
    route = Route.from_bytes(ticket_capsules.open_route(capability, ticket.route))
    nickname = accounts.contacts.queue_nickname(pipeline, route.contact_tag).value
    accounts.services.queue_draft(pipeline, owner=actor.account_id, draft=ReplyDraft(capability=capability))
    return ReplyOpened(nickname=nickname)


def send_reply(
    pipeline: StatementPipeline,
    content: MessageContent,
    *,
    capability: Capability,
    sender: Actor,
    origin: Origin,
) -> Taken:
    """Seal an answer for the sender of a ticket; drafts are left as they are.

    Opens only the route. Takes the other side's inbox lock. Raises CryptoError when the route cannot be
    opened. Not to be repeated: the update's receipt keeps it single.
    """
    ticket = find_own_ticket(pipeline, capability, owner=sender)
    if ticket is None:
        return Refused(why=RefusalReason.TICKET_GONE)
    route = Route.from_bytes(ticket_capsules.open_route(capability, ticket.route))
    return enter_inbox(
        pipeline,
        replace(content, reply_to_message_id=route.message_id),
        sender=sender,
        origin=origin,
        recipient=route.account_id,
        recipient_salt=route.contact_salt,
    )
