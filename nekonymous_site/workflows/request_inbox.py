"""A recipient asks for what waits for them."""

import accounts.inbox
import accounts.selectors
from accounts.selectors import Actor
from nekonymous_site.pipeline import StatementPipeline


def request_inbox(pipeline: StatementPipeline, actor: Actor) -> int:
    """Mark the inbox for draining when something waits, and tell how much. May be repeated."""
    waiting = accounts.selectors.queue_unread_count(pipeline, actor.account_id).value
    if waiting:
        accounts.inbox.queue_drain_requested(pipeline, actor.account_id)
    return waiting
