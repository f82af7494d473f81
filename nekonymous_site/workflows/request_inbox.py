"""A recipient asks for what waits for them."""

import accounts.inbox
import accounts.selectors
import accounts.services
from accounts.selectors import Actor
from nekonymous_site.pipeline import StatementPipeline


def request_inbox(pipeline: StatementPipeline, actor: Actor) -> int:
    """Mark the inbox for draining when something waits, and tell how much. May be repeated.

    Takes the inbox's lock, so that a drain that is just ending cannot swallow the request.
    """
    accounts.services.queue_inbox_lock(pipeline, actor.account_id)
    waiting = accounts.selectors.queue_unread_count(pipeline, actor.account_id).value
    if waiting:
        accounts.inbox.queue_drain_requested(pipeline, actor.account_id)
    return waiting
