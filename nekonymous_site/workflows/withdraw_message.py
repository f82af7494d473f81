"""A sender takes a message back that has not been delivered yet."""

import accounts.inbox
import stats.services
import tickets.services
from accounts.selectors import Actor
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.capabilities import WithdrawToken
from nekonymous_site.pipeline import StatementPipeline
from stats.events import StatEvent


def withdraw_message(pipeline: StatementPipeline, token: WithdrawToken, *, sender: Actor) -> None:
    """Wipe a ticket and its unread row if they are this sender's and not delivered. May be repeated.

    Tells nothing, whatever it found: whoever withdraws must not learn whether the message had been read. A
    delivery that has left already arrives all the same; one that is still to leave finds its ticket gone.
    Locks the ticket, then the unread row, as the record of a delivery does.
    """
    ticket_hash = blind_tags.ticket_hash(token.lookup_nonce)
    withdrawn = tickets.services.queue_ticket_withdrawn(
        pipeline,
        ticket_hash,
        withdraw_tag=blind_tags.withdraw_tag(
            withdraw_secret=token.withdraw_secret, actor_hash=sender.actor_hash, ticket_hash=ticket_hash
        ),
    )
    if withdrawn.value:
        accounts.inbox.queue_unread_withdrawn(pipeline, blind_tags.unread_withdraw_tag(token.withdraw_secret))
        stats.services.queue_event(pipeline, StatEvent.MESSAGE_WITHDRAWN)
