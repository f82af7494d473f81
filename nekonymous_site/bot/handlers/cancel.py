"""/cancel: stop what has been begun."""

import accounts.compositions
import accounts.services
from accounts.drafts import DisplayNameDraft, NicknameDraft
from nekonymous_site.bot import callback_data, outcome_texts
from nekonymous_site.bot.handlers.destination import prompt_key
from nekonymous_site.bot.visit import HandlerAnswer, Visit, edited_buttons, edited_screen, screen
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.workflows.cancel_draft import Cancelled, cancel_draft
from nekonymous_site.workflows.compositions import find_gathering


def answer_cancel(visit: Visit, _argument: str) -> HandlerAnswer:
    """Close the open draft, or throw away what waits for a yes."""
    match cancel_draft(visit.pipeline, visit.actor):
        case Cancelled.DRAFT:
            return screen(outcome_texts.cancelled(visit.language))
        case Cancelled.NAMING:
            return screen(outcome_texts.naming_cancelled(visit.language))
        case Cancelled.COMPOSITION:
            return screen(outcome_texts.cancelled_waiting(visit.language))
        case Cancelled.NOTHING:
            return screen(outcome_texts.nothing_to_cancel(visit.language))


def is_way_out(visit: Visit, data: str) -> bool:
    """Tell whether a tap is on the way out of what gathers at this moment."""
    try:
        composition = find_gathering(visit.actor)
    except EnvelopeUnreadable:
        return False
    return composition is not None and data == callback_data.CANCEL + prompt_key(composition.destination)


def answer_cancel_tap(visit: Visit, data: str, *, message_id: int) -> HandlerAnswer:
    """Close the draft that a prompt has opened, and what gathers for it; another prompt loses its button."""
    draft = visit.actor.draft()
    is_gathering = is_way_out(visit, data)
    if not is_gathering and (draft is None or prompt_key(draft) != data.removeprefix(callback_data.CANCEL)):
        over = outcome_texts.prompt_over(visit.language)
        return edited_buttons(message_id=message_id, keyboard=None, toast=over)
    if is_gathering and visit.actor.gathering:
        gathering = visit.actor.gathering
        accounts.compositions.queue_composition_closed(visit.pipeline, gathering.composition_id)
    accounts.services.queue_draft_closed(visit.pipeline, owner=visit.actor.account_id)
    is_naming = not is_gathering and isinstance(draft, NicknameDraft | DisplayNameDraft)
    text = outcome_texts.naming_cancelled if is_naming else outcome_texts.cancelled
    cancelled = text(visit.language)
    return edited_screen(cancelled, message_id=message_id, keyboard=None, toast=cancelled)
