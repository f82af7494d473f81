"""A person stops what they have begun."""

from enum import Enum, auto

import accounts.compositions
import accounts.services
from accounts.drafts import DisplayNameDraft, NicknameDraft
from accounts.selectors import Actor
from nekonymous_site.pipeline import StatementPipeline


class Cancelled(Enum):
    NOTHING = auto()
    DRAFT = auto()
    NAMING = auto()  # a name was asked for
    COMPOSITION = auto()  # a message that waited for a yes


def cancel_draft(pipeline: StatementPipeline, actor: Actor) -> Cancelled:
    """Close the open draft, throw away what gathers and what waits for a yes; tells what there was.

    May be repeated.
    """
    draft = actor.draft()
    had_draft = draft is not None or actor.gathering is not None
    if actor.gathering is not None:
        accounts.compositions.queue_composition_closed(pipeline, actor.gathering.composition_id)
    if actor.draft_envelope is not None:
        accounts.services.queue_draft_closed(pipeline, owner=actor.account_id)
    if accounts.compositions.queue_all_asked_closed(pipeline, actor.account_id).value:
        return Cancelled.COMPOSITION
    if isinstance(draft, NicknameDraft | DisplayNameDraft):
        return Cancelled.NAMING
    return Cancelled.DRAFT if had_draft else Cancelled.NOTHING
