"""The pump: take a lease and an intent, send it outside of any transaction, record what came of it."""

import random
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog
from django.db import Error as DatabaseError

from nekonymous_site.bot.intent_effects import apply_fate
from nekonymous_site.bot.late_refusals import reconsider_refusal
from nekonymous_site.bot.rendering import render_intent
from nekonymous_site.bot.send_signs import prepare_send_signs, queue_send_signs
from nekonymous_site.bot.ticket_calls import without_formatting
from nekonymous_site.crypto.errors import CryptoError, EnvelopeUnreadable
from nekonymous_site.duration_buckets import duration_bucket
from nekonymous_site.failpoints import Entry, Moment, reach
from nekonymous_site.pipeline import durable_transaction
from outbox import lanes, send_records, telegram_client
from outbox.delivery_policy import Fate, decide
from outbox.errors import IntentUnreadable, StaleLease
from outbox.lanes import LaneWaits, LeasedIntent, Throttled
from outbox.send_result import Failed, FailureKind, SendResult, Suppressed
from outbox.telegram_client import BotApiCall

log = structlog.get_logger("pump")

SENDS_PER_SECOND: Final = 30.0
LONGEST_RUN_SECONDS: Final = 2.0
MOST_STEPS: Final = 200
_LEASE: Final = timedelta(
    seconds=lanes.lease_seconds(request_timeout_seconds=telegram_client.REQUEST_TIMEOUT_SECONDS)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PumpRun:
    """What one run did, and whether it stopped with work left and for how long that has to wait."""

    handled: int
    more_after_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What came of one intent's turn, and what it would mean if it was a success."""

    result: SendResult
    method: str | None = None
    parts_left: bool = False
    ended_progress: bytes | None = None


def pump_due_lanes(*, grace: timedelta = timedelta(0)) -> PumpRun:
    """Send what is due, one intent at a time, for two seconds at most. Any number may run at once.

    `grace` leaves lanes that have just become due to the workers that a bell is calling.
    """
    deadline = time.monotonic() + LONGEST_RUN_SECONDS
    handled = 0
    for _ in range(MOST_STEPS):
        if time.monotonic() >= deadline:
            return PumpRun(handled=handled, more_after_seconds=0)
        with durable_transaction(Entry.LEASE) as pipeline:
            taken = lanes.take_next_intent(
                pipeline, lease=_LEASE, sends_per_second=SENDS_PER_SECOND, grace=grace
            )
            pipeline.entry = Entry.LEASE if isinstance(taken, LeasedIntent) else None
        match taken:
            case None:
                break
            case LaneWaits():
                continue
            case Throttled():
                return PumpRun(handled=handled, more_after_seconds=taken.wait_seconds)
            case LeasedIntent():
                _handle(taken)
                handled += 1
    return PumpRun(handled=handled, more_after_seconds=_next_due_seconds())


def _next_due_seconds() -> float | None:
    with durable_transaction() as pipeline:
        return lanes.queue_next_due_seconds(pipeline).value


def _handle(leased: LeasedIntent) -> None:
    started = time.monotonic()
    # An abandoned send is not made again here: first it is recorded as unknown, as its kind demands.
    outcome = (
        _Outcome(result=Failed(kind=FailureKind.UNKNOWN)) if leased.abandoned else _render_and_send(leased)
    )
    try:
        fate = _record(leased, outcome)
    except StaleLease:
        log.warning("lease_passed", operation=leased.kind.value, attempt=leased.attempts)
        return
    except (CryptoError, DatabaseError) as error:
        # Another process may have the key, or the database may be back: when the lease has passed.
        log.warning("fate_not_recorded", operation=leased.kind.value, error_class=type(error).__name__)
        return
    if fate == Fate.PART_SENT:
        reach(Moment.BETWEEN_PARTS)
    result = outcome.result
    log.info(
        "intent_handled",
        operation=leased.kind.value,
        status=fate,
        error_class=result.kind.value if isinstance(result, Failed) else None,
        attempt=leased.attempts,
        duration_bucket=duration_bucket(time.monotonic() - started),
    )


def _render_and_send(leased: LeasedIntent) -> _Outcome:
    try:
        with durable_transaction() as pipeline:
            rendered = render_intent(pipeline, leased)
    except (IntentUnreadable, EnvelopeUnreadable) as error:
        # Spoilt for good: like what cannot be shown, it must not hold up what stands behind it.
        log.warning("intent_unreadable", operation=leased.kind.value, error_class=type(error).__name__)
        is_ours = isinstance(error, IntentUnreadable)
        return _Outcome(result=Failed(kind=FailureKind.INVALID_PAYLOAD, is_ours=is_ours))
    except (CryptoError, DatabaseError) as error:
        # Ours, and perhaps over soon: another process may have the key or the database may be back.
        log.warning("intent_not_rendered", operation=leased.kind.value, error_class=type(error).__name__)
        return _Outcome(result=Failed(kind=FailureKind.TRANSIENT, is_ours=True))
    except Exception as error:
        # A mistake of ours. Nothing has left, so it is tried again without a mark, and not for ever.
        log.exception("intent_not_rendered", operation=leased.kind.value, error_class=type(error).__name__)
        return _Outcome(result=Failed(kind=FailureKind.UNKNOWN, is_ours=True))
    if isinstance(rendered, Suppressed):
        return _Outcome(result=rendered)
    return _Outcome(
        result=_send(rendered.call),
        method=rendered.call.method,
        parts_left=rendered.parts_left,
        ended_progress=rendered.ended_progress,
    )


def _send(call: BotApiCall) -> SendResult:
    reach(Moment.BEFORE_CALL)
    result = telegram_client.send(call)
    reach(Moment.AFTER_CALL)
    if isinstance(result, Failed) and result.kind is FailureKind.INVALID_PAYLOAD:
        plain = without_formatting(call)
        return telegram_client.send(plain) if plain else result
    return result


def _record(leased: LeasedIntent, outcome: _Outcome) -> str:
    decision = decide(
        leased.kind,
        result=outcome.result,
        attempts=leased.attempts,
        jitter=random.uniform(-1, 1),  # noqa: S311 - spreads waits, protects nothing
        parts_left=outcome.parts_left,
    )
    with durable_transaction(Entry.RECORD) as pipeline:
        send_records.require_lease(pipeline, leased)
        prepare_send_signs(pipeline, result=outcome.result, decision=decision)
        decision = send_records.weigh_failure(pipeline, leased, result=outcome.result, decision=decision)
        decision = reconsider_refusal(pipeline, leased, result=outcome.result, decision=decision)
        apply_fate(
            pipeline,
            leased,
            decision=decision,
            result=outcome.result,
            method=outcome.method,
            ended_progress=outcome.ended_progress,
        )
        send_records.queue_answer_noted(pipeline, leased, result=outcome.result, decision=decision)
        send_records.record_decision(pipeline, leased, decision=decision)
        signs = queue_send_signs(pipeline, leased, result=outcome.result, decision=decision)
    signs.tell()
    return decision.fate.value
