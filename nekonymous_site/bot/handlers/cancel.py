"""/cancel: close the open draft."""

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen
from nekonymous_site.workflows.cancel_draft import cancel_draft


def answer_cancel(visit: Visit, _argument: str) -> HandlerAnswer:
    had_draft = cancel_draft(visit.pipeline, visit.actor)
    text = outcome_texts.cancelled if had_draft else outcome_texts.nothing_to_cancel
    return screen(text(visit.language))
