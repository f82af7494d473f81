"""Somebody follows a shared link: open a draft to its owner."""

from dataclasses import dataclass, field
from enum import Enum, auto

import accounts.selectors
import accounts.services
import safety.selectors
from accounts.drafts import ComposeDraft
from accounts.selectors import Actor
from nekonymous_site.crypto import blind_tags
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.inbox_gates import Refused, find_sanction


class LinkClosed(Enum):
    OWN_LINK = auto()
    DEAD_LINK = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOpened:
    """The next message goes to the link's owner, who may have chosen a name."""

    name: str | None = field(repr=False)


def open_link(
    pipeline: StatementPipeline, actor: Actor, *, slug: str, opened_at: int | None
) -> LinkOpened | LinkClosed | Refused:
    """Open a compose draft in place of whichever was open. May be repeated.

    `opened_at` is Telegram's date of the message that opens it, so that the next one is not taken for an
    earlier one; None is now. A paused, full, unreachable or blocking owner does not show here; the actor's
    own sanction does.
    """
    standing = safety.selectors.queue_standing(pipeline, blind_tags.abuse_subject_tag(actor.actor_hash))
    owner = accounts.selectors.queue_link_owner(pipeline, slug).value
    if owner is None:
        return LinkClosed.DEAD_LINK
    if owner.account_id == actor.account_id:
        return LinkClosed.OWN_LINK
    sanction = find_sanction(standing.value)
    if sanction is not None:
        return sanction
    draft = ComposeDraft(recipient=owner.account_id, contact_salt=owner.contact_salt(), slug=slug)
    accounts.services.queue_draft(pipeline, owner=actor.account_id, draft=draft, opened_at=opened_at)
    return LinkOpened(name=owner.display_name())
