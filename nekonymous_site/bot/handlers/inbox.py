"""/inbox and its button: bring what waits."""

from dataclasses import replace

import outbox.progress
from nekonymous_site.bell import Bell
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.visit import HandlerAnswer, Visit, progress, screen
from nekonymous_site.crypto import blind_tags
from nekonymous_site.workflows.request_inbox import request_inbox


def answer_inbox(visit: Visit, _argument: str) -> HandlerAnswer:
    """Begin a live count and let a worker bring what waits; what comes on top of a delivery joins it.

    Where nothing new begins the words are there twice: as a message, and as a toast for a tap.
    """
    counts = request_inbox(visit.pipeline, visit.actor)
    if counts.on_the_way:
        if counts.waiting:
            lane_tag = blind_tags.lane_tag(visit.chat_id)
            outbox.progress.queue_progress_extended(visit.pipeline, lane_tag, by=counts.waiting)
        coming = outcome_texts.already_coming(visit.language, count=counts.waiting + counts.on_the_way)
        return replace(screen(coming), toast=coming, bells=(Bell.INBOX_DRAIN,))
    if not counts.waiting:
        empty = outcome_texts.inbox_empty(visit.language)
        return replace(screen(empty), toast=empty)
    text = outcome_texts.progress(visit.language, delivered=0, total=counts.waiting)
    return progress(text, total=counts.waiting)


def answer_inbox_tap(visit: Visit) -> HandlerAnswer:
    """As the command; where a toast says it all there is no message."""
    answer = answer_inbox(visit, "")
    return replace(answer, messages=()) if answer.toast else answer
