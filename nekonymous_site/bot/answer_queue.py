"""From a handler's answer to intents and rings, in the transaction that the answer belongs to."""

from functools import partial
from typing import Final

from django.db import transaction

import outbox.progress
import outbox.services
from nekonymous_site import bell, rate_limits
from nekonymous_site.bell import Bell
from nekonymous_site.bot.visit import HandlerAnswer, Outgoing, Visit
from nekonymous_site.crypto import blind_tags
from nekonymous_site.workflows.compositions import GATHERING
from outbox.services import NewIntent

# What gathers is ready a moment later.
_COUNTDOWNS: Final = {Bell.GATHERING: GATHERING.total_seconds()}


def queue_answer(visit: Visit, answer: HandlerAnswer, *, effect_key: bytes) -> None:
    """Queue everything a handler wants seen, and what follows once it is committed.

    `effect_key` names the cause: queued twice for one cause it is seen once. Locks the person's lane.
    """
    for index, message in enumerate(answer.messages):
        key = (answer.once or effect_key) + index.to_bytes(1, "big")
        outbox.services.queue_intent(visit.pipeline, _intent(visit, message, key=key))
    lane_tag = blind_tags.lane_tag(visit.chat_id)
    if answer.progress_total is not None:
        outbox.progress.queue_progress_begun(visit.pipeline, lane_tag, total=answer.progress_total)
    if answer.progress_more:
        outbox.progress.queue_progress_extended(visit.pipeline, lane_tag, by=answer.progress_more)
    for wanted in {*answer.bells, *([Bell.OUTBOX] if answer.messages else [])}:
        bell.ring_after_commit(wanted, countdown_seconds=_COUNTDOWNS.get(wanted, 0))
    if answer.sent_first:
        transaction.on_commit(partial(rate_limits.count_first_message, visit.actor.actor_hash))


def _intent(visit: Visit, message: Outgoing, *, key: bytes) -> NewIntent:
    return NewIntent(
        kind=message.kind,
        tag=blind_tags.intent_tag(message.kind, key),
        chat_id=visit.chat_id,
        body={
            "account": visit.actor.account_id.hex(),
            "chat": visit.chat_id,
            "method": message.method,
            "parameters": message.parameters,
        },
    )
