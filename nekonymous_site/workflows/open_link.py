"""Somebody follows a shared link: open a draft to its owner."""

from enum import Enum, auto

import accounts.selectors
import accounts.services
from accounts.drafts import ComposeDraft
from accounts.selectors import Actor
from nekonymous_site.pipeline import StatementPipeline


class LinkOpened(Enum):
    """What came of following a link. A paused, full or unreachable owner does not show here."""

    COMPOSING = auto()
    OWN_LINK = auto()
    DEAD_LINK = auto()


def open_link(pipeline: StatementPipeline, actor: Actor, *, slug: str) -> LinkOpened:
    """Open a compose draft in place of whichever was open. May be repeated."""
    owner = accounts.selectors.queue_link_owner(pipeline, slug).value
    if owner is None:
        return LinkOpened.DEAD_LINK
    if owner.account_id == actor.account_id:
        return LinkOpened.OWN_LINK
    draft = ComposeDraft(recipient=owner.account_id, slug=slug)
    accounts.services.queue_draft(pipeline, owner=actor.account_id, draft=draft)
    return LinkOpened.COMPOSING
