"""/inbox and its button: bring what waits."""

import outbox.progress
from nekonymous_site.bell import Bell
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.visit import HandlerAnswer, Visit, progress, screen
from nekonymous_site.crypto import blind_tags
from nekonymous_site.workflows.request_inbox import request_inbox


def answer_inbox(visit: Visit, _argument: str) -> HandlerAnswer:
    """Begin a live count and let a worker bring what waits; what comes on top of a delivery joins it."""
    counts = request_inbox(visit.pipeline, visit.actor)
    if counts.on_the_way:
        if counts.waiting:
            lane_tag = blind_tags.lane_tag(visit.chat_id)
            outbox.progress.queue_progress_extended(visit.pipeline, lane_tag, by=counts.waiting)
        coming = outcome_texts.already_coming(visit.language, count=counts.waiting + counts.on_the_way)
        return HandlerAnswer(toast=coming, messages=screen(coming).messages, bells=(Bell.INBOX_DRAIN,))
    if not counts.waiting:
        return screen(outcome_texts.inbox_empty(visit.language))
    text = outcome_texts.progress(visit.language, delivered=0, total=counts.waiting)
    return progress(text, total=counts.waiting)
