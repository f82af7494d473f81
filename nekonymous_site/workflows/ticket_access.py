"""The funnel through which every action on a ticket passes: only its owner gets it."""

import tickets.selectors
from accounts.selectors import Actor
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.pipeline import StatementPipeline
from tickets.selectors import StoredTicket


def find_own_ticket(
    pipeline: StatementPipeline, capability: Capability, *, owner: Actor
) -> StoredTicket | None:
    """Find a live ticket and prove in constant time that it is the actor's, before anything is opened.

    None for a ticket that is missing, expired or somebody else's: the three look the same.
    """
    ticket = tickets.selectors.queue_ticket(pipeline, blind_tags.ticket_hash(capability.lookup_nonce)).value
    if ticket is None:
        return None
    proof = blind_tags.owner_proof(
        actor_hash=owner.actor_hash,
        account_id=owner.account_id,
        ticket_hash=ticket.ticket_hash,
        key_seed=capability.key_seed,
    )
    return ticket if blind_tags.tags_match(proof, ticket.owner_proof) else None
