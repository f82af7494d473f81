"""/inbox and its button: bring what waits."""

from dataclasses import replace

import accounts.preferences
from nekonymous_site.bell import Bell
from nekonymous_site.bot import outcome_texts, settings_texts
from nekonymous_site.bot.visit import HandlerAnswer, Visit, progress, screen
from nekonymous_site.workflows.request_inbox import request_inbox


def answer_inbox(visit: Visit, _argument: str) -> HandlerAnswer:
    """Begin a live count and let a worker bring what waits; what comes on top of a delivery joins it.

    Where nothing new begins the words are there twice: as a message, and as a toast for a tap.
    """
    asked = request_inbox(visit.pipeline, visit.actor)
    if asked.already:
        coming = outcome_texts.already_coming(visit.language, count=asked.already + asked.newly)
        return replace(screen(coming), toast=coming, bells=(Bell.INBOX_DRAIN,), progress_more=asked.newly)
    if not asked.newly:
        empty = "\n".join([outcome_texts.inbox_empty(visit.language), *_pause(visit)])
        return replace(screen(empty), toast=empty)
    text = outcome_texts.progress(visit.language, delivered=0, total=asked.newly)
    return progress(text, total=asked.newly)


def answer_inbox_tap(visit: Visit) -> HandlerAnswer:
    """As the command; where a toast says it all there is no message."""
    answer = answer_inbox(visit, "")
    return replace(answer, messages=()) if answer.toast else answer


def _pause(visit: Visit) -> list[str]:
    """Remind whoever has paused their inbox why it stays empty."""
    until = accounts.preferences.queue_preferences(visit.pipeline, visit.actor.account_id).value.paused_until
    if until is None:
        return []
    return [settings_texts.paused(visit.language, until=until, zone=visit.actor.time_zone)]
