"""A person stops writing."""

import accounts.services
from accounts.selectors import Actor
from nekonymous_site.pipeline import StatementPipeline


def cancel_draft(pipeline: StatementPipeline, actor: Actor) -> bool:
    """Close the open draft; False when there was none. May be repeated."""
    if actor.draft_envelope is None:
        return False
    accounts.services.queue_draft_closed(pipeline, owner=actor.account_id)
    return True
