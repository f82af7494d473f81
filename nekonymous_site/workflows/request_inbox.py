"""A recipient asks for what waits for them."""

from dataclasses import dataclass

import accounts.inbox
import accounts.selectors
import accounts.services
import stats.services
from accounts.selectors import Actor
from nekonymous_site.pipeline import StatementPipeline
from stats.events import StatEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxAsked:
    """How many messages come because of this request, and how many were coming before it."""

    newly: int
    already: int


def request_inbox(pipeline: StatementPipeline, actor: Actor) -> InboxAsked:
    """Mark the inbox for draining when something waits, and tell what is coming. May be repeated.

    Takes the inbox's lock, so that a drain that is just ending cannot swallow the request.
    """
    accounts.services.queue_inbox_lock(pipeline, actor.account_id)
    counts = accounts.selectors.queue_inbox_counts(pipeline, actor.account_id).value
    if not counts.waiting:
        return InboxAsked(newly=0, already=counts.on_the_way)
    if not accounts.inbox.queue_drain_requested(pipeline, actor.account_id).value:
        return InboxAsked(newly=0, already=counts.on_the_way + counts.waiting)
    stats.services.queue_event(pipeline, StatEvent.INBOX_OPENED)
    return InboxAsked(newly=counts.waiting, already=counts.on_the_way)
