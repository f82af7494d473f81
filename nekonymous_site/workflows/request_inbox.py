"""A recipient asks for what waits for them."""

import accounts.inbox
import accounts.selectors
import accounts.services
import stats.services
from accounts.selectors import Actor, InboxCounts
from nekonymous_site.pipeline import StatementPipeline
from stats.events import StatEvent


def request_inbox(pipeline: StatementPipeline, actor: Actor) -> InboxCounts:
    """Mark the inbox for draining when something waits; tells what waits and what is on its way already.

    Takes the inbox's lock, so that a drain that is just ending cannot swallow the request. May be repeated.
    """
    accounts.services.queue_inbox_lock(pipeline, actor.account_id)
    counts = accounts.selectors.queue_inbox_counts(pipeline, actor.account_id).value
    if counts.waiting:
        accounts.inbox.queue_drain_requested(pipeline, actor.account_id)
        stats.services.queue_event(pipeline, StatEvent.INBOX_OPENED)
    return counts
