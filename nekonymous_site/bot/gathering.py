"""Ends what has gathered once nothing more comes, each in a transaction of its own."""

from dataclasses import dataclass
from typing import Final

import structlog
from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError

import accounts.compositions
import accounts.selectors
import accounts.services
from accounts.selectors import Actor
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.answer_queue import queue_answer
from nekonymous_site.bot.handlers.compositions import end_gathering
from nekonymous_site.bot.visit import Visit, acknowledgement
from nekonymous_site.crypto.errors import CryptoError, EnvelopeUnreadable, KeysNotConfigured, UnknownKeyId
from nekonymous_site.crypto.identifiers import ActorHash
from nekonymous_site.failpoints import Entry
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.workflows.compositions import find_gathering

log = structlog.get_logger("gathering")

MOST_ENDED: Final = 100
MOST_POSTPONED: Final = 5
SOON_SECONDS: Final = 5.0


class GatheringPostponed(Exception):
    """What gathers could not be ended because of a mistake of ours; it is tried again."""


class SomethingGathers(Exception):
    """What somebody sent before is still gathering and has to be ended first; nothing is committed."""

    def __init__(self, composition_id: bytes) -> None:
        super().__init__()
        self.composition_id = composition_id


class TooMuchGathers(Exception):
    """Something new has begun to gather each time that the one before was ended: it will pass."""


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
        except (CryptoError, DatabaseError, GatheringPostponed) as error:
            log.warning("gathering_postponed", error_class=type(error).__name__)
            postponed += 1
    return GatheringRun(ended=ended, more_after_seconds=_next_ready_seconds(ended=ended))


def end_gathering_of(actor_hash: ActorHash, *, composition_id: bytes | None = None) -> bool:
    """End what gathers for somebody: this composition whenever, or any that is ready; False when none is.

    Takes the actor's lock, and the recipient's inbox lock. What is spoilt is thrown away and its sender told;
    so is what has failed for a minute, and until then GatheringPostponed is raised. Raises UnknownKeyId and
    DatabaseError, which pass.
    """
    try:
        with durable_transaction(Entry.GATHERING) as pipeline:
            actor = _find_actor(pipeline, actor_hash, composition_id=composition_id)
            visit = _as_visit(pipeline, actor) if actor else None
            composition = find_gathering(visit.actor) if visit else None
            if visit is None or composition is None:
                pipeline.entry = None
                return False
            answer = end_gathering(visit, composition)
            queue_answer(visit, answer, effect_key=composition.composition_id)
    except (UnknownKeyId, KeysNotConfigured, OperationalError, InterfaceError):
        raise
    except Exception as error:
        # Spoilt for good, or a mistake of ours: it must not stand for ever before what its sender does next.
        log.exception("gathering_failed", error_class=type(error).__name__)
        is_spoilt = isinstance(error, EnvelopeUnreadable)
        if not _throw_away(actor_hash, composition_id=composition_id, even_if_fresh=is_spoilt):
            raise GatheringPostponed from None
    return True


def _throw_away(actor_hash: ActorHash, *, composition_id: bytes | None, even_if_fresh: bool) -> bool:
    """Throw away what gathers, and tell its sender; False when it is to be tried for a minute first."""
    with durable_transaction() as pipeline:
        actor = _find_actor(pipeline, actor_hash, composition_id=composition_id)
        if actor is None or actor.gathering is None:
            return True
        if not (even_if_fresh or actor.gathering.is_overdue):
            return False
        key = actor.gathering.composition_id
        accounts.compositions.queue_composition_closed(pipeline, key)
        try:
            visit = _as_visit(pipeline, actor)
        except EnvelopeUnreadable:
            return True  # nobody can be told: not even the way to them opens
        if visit:
            apology = acknowledgement(outcome_texts.update_parked(visit.language))
            queue_answer(visit, apology, effect_key=key)
    return True


def _find_actor(
    pipeline: StatementPipeline, actor_hash: ActorHash, *, composition_id: bytes | None
) -> Actor | None:
    """Lock an actor of whom something gathers: this composition, or any that is ready by now."""
    accounts.services.queue_actor_lock(pipeline, actor_hash)
    actor = accounts.selectors.queue_actor(pipeline, actor_hash).value
    if actor is None or actor.gathering is None:
        return None
    if composition_id is None:
        return actor if actor.gathering.is_ready else None
    return actor if actor.gathering.composition_id == composition_id else None


def _as_visit(pipeline: StatementPipeline, actor: Actor) -> Visit | None:
    way = accounts.selectors.queue_reachable(pipeline, actor.account_id).value
    return Visit(pipeline=pipeline, actor=actor, chat_id=way.chat_id) if way else None


def _next_ready_seconds(*, ended: int) -> float | None:
    if ended >= MOST_ENDED:
        return 0
    with durable_transaction() as pipeline:
        seconds = accounts.compositions.queue_next_ready_seconds(pipeline).value
    return seconds if seconds is not None and seconds <= SOON_SECONDS else None
