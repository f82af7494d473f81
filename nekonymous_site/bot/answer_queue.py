"""From a handler's answer to intents and rings, in the transaction that the answer belongs to."""

import secrets
from functools import partial
from typing import Final

from django.db import transaction

import outbox.progress
import outbox.services
from nekonymous_site import bell, rate_limits
from nekonymous_site.bell import Bell
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.visit import HandlerAnswer, Outgoing, Visit, edited_screen
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import LaneTag
from nekonymous_site.workflows.compositions import GATHERING
from outbox.intent_kinds import IntentKind
from outbox.services import NewIntent

# What gathers is ready a moment later.
_COUNTDOWNS: Final = {Bell.GATHERING: GATHERING.total_seconds()}


def queue_answer(visit: Visit, answer: HandlerAnswer, *, effect_key: bytes) -> None:
    """Queue everything a handler wants seen, and what follows once it is committed.

    `effect_key` names the cause: queued twice for one cause it is seen once. Locks the person's lane.
    """
    lane_tag = blind_tags.lane_tag(visit.chat_id)
    progress_id = secrets.token_bytes(16)
    before = _end_of_earlier_progress(visit, lane_tag) if answer.progress_total is not None else ()
    for index, message in enumerate((*before, *answer.messages)):
        key = (answer.once or effect_key) + index.to_bytes(1, "big")
        intent = _intent(visit, message, key=key, progress_id=progress_id)
        outbox.services.queue_intent(visit.pipeline, intent)
    if answer.progress_total is not None:
        outbox.progress.queue_progress_begun(
            visit.pipeline, lane_tag, progress_id=progress_id, total=answer.progress_total
        )
    if answer.progress_more:
        outbox.progress.queue_progress_extended(visit.pipeline, lane_tag, by=answer.progress_more)
    for wanted in {*answer.bells, *([Bell.OUTBOX] if answer.messages else [])}:
        bell.ring_after_commit(wanted, countdown_seconds=_COUNTDOWNS.get(wanted, 0))
    if answer.sent_first:
        transaction.on_commit(partial(rate_limits.count_first_message, visit.actor.actor_hash))


def _end_of_earlier_progress(visit: Visit, lane_tag: LaneTag) -> tuple[Outgoing, ...]:
    """Bring a progress message to its end whose own last edit has not come yet when the next one begins."""
    progress = outbox.progress.queue_progress(visit.pipeline, lane_tag).value
    message_id = progress.message_id() if progress else None
    if progress is None or message_id is None:
        return ()
    text = outcome_texts.progress_done(visit.language, delivered=progress.delivered)
    return edited_screen(text, message_id=message_id, keyboard=None).messages


def _intent(visit: Visit, message: Outgoing, *, key: bytes, progress_id: bytes) -> NewIntent:
    progress = {"progress": progress_id.hex()} if message.kind is IntentKind.PROGRESS else {}
    return NewIntent(
        kind=message.kind,
        tag=blind_tags.intent_tag(message.kind, key),
        chat_id=visit.chat_id,
        body={
            "account": visit.actor.account_id.hex(),
            "chat": visit.chat_id,
            "method": message.method,
            "parameters": message.parameters,
            **progress,
        },
    )
