"""/cancel: stop what has been begun."""

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen
from nekonymous_site.workflows.cancel_draft import Cancelled, cancel_draft


def answer_cancel(visit: Visit, _argument: str) -> HandlerAnswer:
    """Close the open draft, or throw away what waits for a yes."""
    match cancel_draft(visit.pipeline, visit.actor):
        case Cancelled.DRAFT:
            return screen(outcome_texts.cancelled(visit.language))
        case Cancelled.COMPOSITION:
            return screen(outcome_texts.cancelled_waiting(visit.language))
        case Cancelled.NOTHING:
            return screen(outcome_texts.nothing_to_cancel(visit.language))
