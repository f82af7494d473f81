"""The owner of a ticket blocks or unblocks whoever sent it, without learning who that is."""

from enum import Enum, auto

import accounts.contacts
import stats.services
from accounts.contacts import BlockNote
from accounts.selectors import Actor
from nekonymous_site.crypto import ticket_capsules
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.ticket_access import find_own_ticket
from nekonymous_site.workflows.ticket_content import Meta, Route
from stats.events import StatEvent


class BlockOutcome(Enum):
    """What came of it. A second block looks like the first, so that two tickets cannot be compared."""

    DONE = auto()
    LIST_FULL = auto()
    BUTTON_DEAD = auto()


def block_sender(pipeline: StatementPipeline, capability: Capability, *, owner: Actor) -> BlockOutcome:
    """Block whoever sent a ticket; what of theirs still waits is not delivered. May be repeated.

    Opens route and meta, never the payload. Raises CryptoError when they cannot be opened.
    """
    ticket = find_own_ticket(pipeline, capability, owner=owner)
    if ticket is None:
        return BlockOutcome.BUTTON_DEAD
    route = Route.from_bytes(ticket_capsules.open_route(capability, ticket.route))
    meta = Meta.from_bytes(ticket_capsules.open_meta(capability, ticket.meta))
    blocked = accounts.contacts.queue_blocked(
        pipeline,
        owner.account_id,
        block_tag=route.block_tag,
        note=BlockNote(number=meta.number, on=meta.created_on, contact_tag=route.contact_tag),
    )
    if not blocked.value:
        return BlockOutcome.LIST_FULL
    stats.services.queue_event(pipeline, StatEvent.SENDER_BLOCKED)
    return BlockOutcome.DONE


def unblock_sender(pipeline: StatementPipeline, capability: Capability, *, owner: Actor) -> BlockOutcome:
    """Lift the block on whoever sent a ticket. May be repeated. Opens only the route; raises CryptoError."""
    ticket = find_own_ticket(pipeline, capability, owner=owner)
    if ticket is None:
        return BlockOutcome.BUTTON_DEAD
    route = Route.from_bytes(ticket_capsules.open_route(capability, ticket.route))
    accounts.contacts.queue_unblocked(pipeline, block_tag=route.block_tag)
    stats.services.queue_event(pipeline, StatEvent.SENDER_UNBLOCKED)
    return BlockOutcome.DONE
