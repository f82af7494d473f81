"""Ends what has gathered once nothing more comes, each in a transaction of its own."""

import secrets
from dataclasses import dataclass
from typing import Final

import structlog

import accounts.compositions
import accounts.selectors
import accounts.services
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.answer_queue import queue_answer
from nekonymous_site.bot.handlers.compositions import end_gathering
from nekonymous_site.bot.visit import Visit, acknowledgement
from nekonymous_site.crypto.errors import CryptoError, EnvelopeUnreadable
from nekonymous_site.crypto.identifiers import ActorHash
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.workflows.compositions import Stage, find_composition

log = structlog.get_logger("gathering")

MOST_ENDED: Final = 100
MOST_POSTPONED: Final = 5
SOON_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheringRun:
    """How many compositions were ended, and in how many seconds the next one is ready, if soon."""

    ended: int
    more_after_seconds: float | None


def end_ready_gatherings() -> GatheringRun:
    """End all compositions that nothing more is waited for, at most a hundred. Any number may run at once.

    One that wants a key which this process lacks stays for later and stands before nobody else's.
    """
    ended = postponed = 0
    for _ in range(MOST_ENDED):
        with durable_transaction() as pipeline:
            actor_hash = accounts.compositions.queue_ready_composer(pipeline).value
        if actor_hash is None or postponed >= MOST_POSTPONED:
            break
        try:
            ended += end_gathering_of(actor_hash)
        except CryptoError as error:
            log.warning("gathering_postponed", error_class=type(error).__name__)
            postponed += 1
    return GatheringRun(ended=ended, more_after_seconds=_next_ready_seconds())


def end_gathering_of(actor_hash: ActorHash) -> bool:
    """End what somebody's composition has gathered, ready or not; False when nothing gathers.

    Takes the actor's lock, and the recipient's inbox lock. A composition that is spoilt is thrown away and
    its sender told; raises UnknownKeyId when another process may be able to open it.
    """
    with durable_transaction() as pipeline:
        accounts.services.queue_actor_lock(pipeline, actor_hash)
        visit = _find_visit(pipeline, actor_hash)
        if visit is None:
            return False
        try:
            composition = find_composition(visit.actor)
        except EnvelopeUnreadable:
            _throw_away(visit)
            return True
        if composition is None or composition.stage is not Stage.GATHERING:
            return False
        answer = end_gathering(visit, composition)
        queue_answer(visit, answer, effect_key=composition.composition_id)
    return True


def _throw_away(visit: Visit) -> None:
    """Spoilt for good: its sender is told, and goes on."""
    log.warning("composition_unreadable")
    accounts.compositions.queue_composition_closed(visit.pipeline, visit.actor.account_id)
    apology = acknowledgement(outcome_texts.update_parked(visit.language))
    queue_answer(visit, apology, effect_key=secrets.token_bytes(16))


def _find_visit(pipeline: StatementPipeline, actor_hash: ActorHash) -> Visit | None:
    actor = accounts.selectors.queue_actor(pipeline, actor_hash).value
    if actor is None:
        return None
    way = accounts.selectors.queue_reachable(pipeline, actor.account_id).value
    return Visit(pipeline=pipeline, actor=actor, chat_id=way.chat_id) if way else None


def _next_ready_seconds() -> float | None:
    with durable_transaction() as pipeline:
        seconds = accounts.compositions.queue_next_ready_seconds(pipeline).value
    return seconds if seconds is not None and seconds <= SOON_SECONDS else None
