"""The owner of a ticket gives whoever sent it a name that only they see."""

from dataclasses import dataclass, field
from enum import Enum, auto

import accounts.contacts
import accounts.services
import stats.services
from accounts.drafts import NicknameDraft
from accounts.selectors import Actor
from nekonymous_site.crypto import ticket_capsules
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.ticket_access import find_own_ticket
from nekonymous_site.workflows.ticket_content import Meta, Route
from stats.events import StatEvent


class NamingOutcome(Enum):
    DONE = auto()
    TOO_MANY = auto()
    BUTTON_DEAD = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderCard:
    """What the owner of a ticket may know of its sender: a name of their own, a number, a day, a block."""

    nickname: str | None = field(repr=False)
    blocked: bool
    meta: Meta


def find_sender_card(
    pipeline: StatementPipeline, capability: Capability, *, owner: Actor
) -> SenderCard | None:
    """Look a sender up by one of their tickets; None when the actor has no such ticket.

    Opens route and meta, never the payload. Raises CryptoError when something cannot be opened.
    """
    ticket = find_own_ticket(pipeline, capability, owner=owner)
    if ticket is None:
        return None
    route = Route.from_bytes(ticket_capsules.open_route(capability, ticket.route))
    nickname = accounts.contacts.queue_nickname(pipeline, route.contact_tag)
    blocked = accounts.contacts.queue_is_blocked(pipeline, route.block_tag)
    return SenderCard(
        nickname=nickname.value,
        blocked=blocked.value,
        meta=Meta.from_bytes(ticket_capsules.open_meta(capability, ticket.meta)),
    )


def open_naming(
    pipeline: StatementPipeline,
    capability: Capability,
    *,
    owner: Actor,
    message_id: int,
    possible_repeat: bool,
) -> SenderCard | None:
    """Open a nickname draft in place of whichever was open, for ten minutes; None as `find_sender_card`."""
    card = find_sender_card(pipeline, capability, owner=owner)
    if card is not None:
        draft = NicknameDraft(capability=capability, message_id=message_id, possible_repeat=possible_repeat)
        accounts.services.queue_draft(pipeline, owner=owner.account_id, draft=draft)
    return card


def name_sender(
    pipeline: StatementPipeline, capability: Capability, *, owner: Actor, name: str | None
) -> NamingOutcome:
    """Call a sender by a clean, short name, or by none any more. May be repeated.

    Closes the draft that asked for it and no other. Opens only the route; raises CryptoError when it cannot
    be opened.
    """
    draft = owner.draft()
    if isinstance(draft, NicknameDraft) and draft.capability == capability:
        accounts.services.queue_draft_closed(pipeline, owner=owner.account_id)
    ticket = find_own_ticket(pipeline, capability, owner=owner)
    if ticket is None:
        return NamingOutcome.BUTTON_DEAD
    tag = Route.from_bytes(ticket_capsules.open_route(capability, ticket.route)).contact_tag
    if name is None:
        accounts.contacts.queue_nickname_removed(pipeline, contact_tag=tag)
        return NamingOutcome.DONE
    named = accounts.contacts.queue_nickname_set(pipeline, owner.account_id, contact_tag=tag, name=name)
    if not named.value:
        return NamingOutcome.TOO_MANY
    stats.services.queue_event(pipeline, StatEvent.NICKNAME_SET)
    return NamingOutcome.DONE
