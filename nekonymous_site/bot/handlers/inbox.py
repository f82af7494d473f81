"""/inbox and its button: bring what waits."""

from nekonymous_site.bell import Bell
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen
from nekonymous_site.workflows.request_inbox import request_inbox


def answer_inbox(visit: Visit, _argument: str) -> HandlerAnswer:
    """Say how much is coming and let a worker bring it."""
    waiting = request_inbox(visit.pipeline, visit.actor)
    if not waiting:
        return screen(outcome_texts.inbox_empty(visit.language))
    return screen(outcome_texts.inbox_coming(visit.language, count=waiting), bells=(Bell.INBOX_DRAIN,))
