"""Lanes: who may send what, when, and what is written down afterwards.

A worker takes one due lane together with one intent and one token of the shared limiter, in one transaction;
sends outside of any transaction; and records the result in a second one. Every record is fenced by the lease:
a worker whose lease has passed can change nothing. All clocks are the database's.
"""

import json
import secrets
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, LiteralString

from nekonymous_site.crypto.identifiers import Envelope, IntentTag, LaneTag
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.pipeline import Answer, Row, StatementPipeline, any_row
from outbox.delivery_policy import (
    Decision,
    Fate,
    IntentKind,
    IntentState,
    LaneClass,
    breaker_pause,
)
from outbox.errors import StaleLease
from outbox.send_result import Failed, FailureKind, SendResult, Sent
from outbox.services import intent_record

LANE_INTERVAL: Final = timedelta(seconds=1)
TALK_BURST: Final = timedelta(seconds=4)  # five talk sends at once, then one a second
LEASE_FLOOR_SECONDS: Final = 60
PACE_TOLERANCE: Final = timedelta(seconds=0.2)

_LIVE_STATES: Final = [IntentState.PENDING, IntentState.SENDING, IntentState.UNKNOWN_AFTER_SEND]

# When the lane's next intent may go: the earlier of its two classes' heads, each behind its wait and its pace.
_DUE_AT: Final[LiteralString] = """
    (SELECT min(greatest(now(), lane.parked_until, head.not_before,
        CASE head.lane_class WHEN 0 THEN lane.talk_paced_until - %(talk_burst)s ELSE lane.post_paced_until END))
     FROM (SELECT DISTINCT ON (lane_class) lane_class, not_before FROM outbox.intent
           WHERE intent.lane_tag = lane.lane_tag AND state = ANY(%(live)s)
           ORDER BY lane_class, position) AS head)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedIntent:
    """An intent that only the holder of this lease may send and record."""

    intent_id: bytes
    kind: IntentKind
    attempts: int  # this one included
    possible_repeat: bool
    abandoned: bool  # its last holder vanished while sending: nobody knows whether it arrived
    intent_tag: IntentTag = field(repr=False)
    lane_tag: LaneTag = field(repr=False)
    lease_id: bytes = field(repr=False)
    envelope: Envelope = field(repr=False)

    def body(self) -> dict[str, Any]:
        """Open the sealed body; raises CryptoError when it cannot be opened."""
        plaintext = open_record(intent_record(self.kind), record_id=self.intent_id, envelope=self.envelope)
        value: dict[str, Any] = json.loads(plaintext)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttled:
    """Something is due, but the shared limiter asks for a moment."""

    wait_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneWaits:
    """A lane was due but none of its intents was; it has been told when to come back."""


def lease_seconds(*, request_timeout_seconds: float) -> float:
    """Make a lease outlive the longest request twice over (one plain re-render included)."""
    return max(LEASE_FLOOR_SECONDS, 2 * request_timeout_seconds + 20)


def take_next_intent(
    pipeline: StatementPipeline, *, lease: timedelta, sends_per_second: float, grace: timedelta = timedelta(0)
) -> LeasedIntent | Throttled | LaneWaits | None:
    """Lease the lane that has been due longest, with its next intent; None when nothing is due.

    `grace` leaves lanes to others that became due less than this long ago. Lanes that another transaction
    holds are skipped. While everything is parked nothing is due.
    """
    lease_id = secrets.token_bytes(16)
    lane = _queue_lane_leased(pipeline, lease_id=lease_id, lease=lease, grace=grace).value
    if lane is None:
        return None
    lane_tag, now, paced_until = lane
    head = _choose_head(_queue_heads(pipeline, lane_tag).value, now=now, paced_until=paced_until)
    if head is None:
        _queue_lane_released(pipeline, lane_tag)
        return LaneWaits()
    if not head.abandoned and not _queue_pace_taken(pipeline, sends_per_second=sends_per_second).value:
        _queue_lane_released(pipeline, lane_tag)
        return Throttled(wait_seconds=1 / sends_per_second)
    _queue_sending(pipeline, head)
    return LeasedIntent(
        intent_id=head.intent_id,
        kind=head.kind,
        attempts=head.attempts + (0 if head.abandoned else 1),
        possible_repeat=head.possible_repeat,
        abandoned=head.abandoned,
        intent_tag=head.intent_tag,
        lane_tag=lane_tag,
        lease_id=lease_id,
        envelope=head.envelope,
    )


def queue_next_due_seconds(pipeline: StatementPipeline) -> Answer[float | None]:
    """Tell in how many seconds the next free lane is due; None when none is within the next five."""
    return pipeline.queue(
        """
        SELECT extract(epoch FROM greatest(
            min(due_at), (SELECT parked_until FROM outbox.send_pace WHERE scope = 'all')) - now())
        FROM outbox.lane
        WHERE due_at <= now() + interval '5 seconds' AND (lease_until IS NULL OR lease_until <= now())
        """,
        read=lambda rows: None if rows[0][0] is None else max(float(rows[0][0]), 0.0),
    )


def require_lease(pipeline: StatementPipeline, leased: LeasedIntent) -> None:
    """Lock the lane for recording; raises StaleLease when the lease has passed or is somebody else's."""
    held = pipeline.queue(
        """
        SELECT 1 FROM outbox.lane
        WHERE lane_tag = %s AND lease_id = %s AND lease_until > clock_timestamp() FOR UPDATE
        """,
        [leased.lane_tag, leased.lease_id],
        read=any_row,
    )
    if not held.value:
        raise StaleLease


def weigh_failure(
    pipeline: StatementPipeline, leased: LeasedIntent, *, result: SendResult, decision: Decision
) -> Decision:
    """Tell a failing chat from a failing Bot API, and park everything in the second case.

    Five failures in a row from changing lanes open the breaker: no attempt is used up while it is open.
    """
    if isinstance(result, Sent):
        pipeline.queue_write(
            """
            UPDATE outbox.send_pace SET failures_in_a_row = 0, failed_lane_tag = NULL
            WHERE scope = 'all' AND failures_in_a_row > 0
            """
        )
    elif isinstance(result, Failed) and result.kind is FailureKind.TRANSIENT and not result.is_ours:
        pause = breaker_pause(_queue_failure_counted(pipeline, leased.lane_tag).value)
        if pause is not None:
            return replace(
                decision, fate=Fate.RETRY, counts_as_attempt=False, wait=pause, park_everything=True
            )
    return decision


def record_decision(pipeline: StatementPipeline, leased: LeasedIntent, *, decision: Decision) -> None:
    """Write what became of an intent and release its lane. Needs `require_lease` in the same transaction."""
    match decision.fate:
        case Fate.RETRY | Fate.RETRY_UNKNOWN:
            _queue_retry(pipeline, leased, decision=decision)
        case Fate.DEAD:
            pipeline.queue_write(
                """
                UPDATE outbox.intent SET state = 'dead', lane_tag = NULL, position = NULL, not_before = NULL
                WHERE intent_id = %s
                """,
                [leased.intent_id],
            )
        case Fate.SENT | Fate.SUPPRESSED | Fate.FAILED:
            pipeline.queue_write(
                """
                UPDATE outbox.intent
                SET state = %s, body = NULL, lane_tag = NULL, position = NULL, not_before = NULL
                WHERE intent_id = %s
                """,
                [decision.fate, leased.intent_id],
            )
    if decision.park_everything:
        _queue_everything_parked(pipeline, wait=decision.wait)
    _queue_lane_released(pipeline, leased.lane_tag, parked_for=decision.wait if decision.park_lane else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    intent_id: bytes
    intent_tag: IntentTag
    kind: IntentKind
    lane_class: LaneClass
    abandoned: bool
    attempts: int
    possible_repeat: bool
    not_before: datetime | None
    envelope: Envelope


def _choose_head(
    heads: list[_Head], *, now: datetime, paced_until: dict[LaneClass, datetime | None]
) -> _Head | None:
    for head in sorted(heads, key=lambda head: (not head.abandoned, head.lane_class)):
        burst = TALK_BURST if head.lane_class is LaneClass.TALK else timedelta(0)
        paced = paced_until[head.lane_class]
        ready = (head.not_before is None or head.not_before <= now) and (
            paced is None or paced - burst <= now
        )
        if head.abandoned or ready:
            return head
    return None


def _queue_lane_leased(
    pipeline: StatementPipeline, *, lease_id: bytes, lease: timedelta, grace: timedelta
) -> Answer[tuple[LaneTag, datetime, dict[LaneClass, datetime | None]] | None]:
    def read(rows: list[Row]) -> tuple[LaneTag, datetime, dict[LaneClass, datetime | None]] | None:
        if not rows:
            return None
        lane_tag, now, talk, post = rows[0]
        return LaneTag(lane_tag), now, {LaneClass.TALK: talk, LaneClass.POST: post}

    return pipeline.queue(
        """
        WITH due AS (
            SELECT lane_tag FROM outbox.lane
            WHERE due_at <= now() - %s AND (lease_until IS NULL OR lease_until <= now())
                AND NOT EXISTS (
                    SELECT FROM outbox.send_pace WHERE scope = 'all' AND send_pace.parked_until > now())
            ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
        )
        UPDATE outbox.lane SET lease_id = %s, lease_until = now() + %s, due_at = now() + %s
        FROM due WHERE lane.lane_tag = due.lane_tag
        RETURNING lane.lane_tag, now(), lane.talk_paced_until, lane.post_paced_until
        """,
        [grace, lease_id, lease, lease],
        read=read,
    )


def _queue_heads(pipeline: StatementPipeline, lane_tag: LaneTag) -> Answer[list[_Head]]:
    def read(rows: list[Row]) -> list[_Head]:
        return [
            _Head(
                intent_id=intent_id,
                intent_tag=intent_tag,
                kind=IntentKind(kind),
                lane_class=LaneClass(lane_class),
                abandoned=state == IntentState.SENDING,
                attempts=attempts,
                possible_repeat=possible_repeat,
                not_before=not_before,
                envelope=body,
            )
            for intent_id, intent_tag, kind, lane_class, state, attempts, possible_repeat, not_before, body in rows
        ]

    return pipeline.queue(
        """
        SELECT DISTINCT ON (lane_class) intent_id, intent_tag, kind, lane_class, state, attempts,
            possible_repeat, not_before, body
        FROM outbox.intent WHERE lane_tag = %s AND state = ANY(%s)
        ORDER BY lane_class, position
        """,
        [lane_tag, _LIVE_STATES],
        read=read,
    )


def _queue_pace_taken(pipeline: StatementPipeline, *, sends_per_second: float) -> Answer[bool]:
    interval = timedelta(seconds=1 / sends_per_second)
    return pipeline.queue(
        """
        INSERT INTO outbox.send_pace AS pace (scope, paced_until) VALUES ('all', clock_timestamp() + %s)
        ON CONFLICT (scope) DO UPDATE SET paced_until = greatest(pace.paced_until, clock_timestamp()) + %s
        WHERE pace.paced_until IS NULL OR pace.paced_until <= clock_timestamp() + %s
        RETURNING 1
        """,
        [interval, interval, PACE_TOLERANCE],
        read=any_row,
    )


def _queue_sending(pipeline: StatementPipeline, head: _Head) -> None:
    if head.abandoned:
        return
    pipeline.queue_write(
        """
        WITH sending AS (
            UPDATE outbox.intent SET state = 'sending', attempts = attempts + 1, not_before = NULL
            WHERE intent_id = %(intent_id)s RETURNING lane_tag, lane_class
        )
        UPDATE outbox.lane SET
            talk_paced_until = CASE lane_class WHEN 0
                THEN greatest(talk_paced_until, now()) + %(interval)s ELSE talk_paced_until END,
            post_paced_until = CASE lane_class WHEN 1
                THEN greatest(post_paced_until, now()) + %(interval)s ELSE post_paced_until END
        FROM sending WHERE lane.lane_tag = sending.lane_tag
        """,
        {"intent_id": head.intent_id, "interval": LANE_INTERVAL},
    )


def _queue_retry(pipeline: StatementPipeline, leased: LeasedIntent, *, decision: Decision) -> None:
    unknown = decision.fate is Fate.RETRY_UNKNOWN
    pipeline.queue_write(
        """
        UPDATE outbox.intent SET state = %s, attempts = attempts - %s,
            possible_repeat = possible_repeat OR %s, not_before = now() + %s
        WHERE intent_id = %s
        """,
        [
            IntentState.UNKNOWN_AFTER_SEND if unknown else IntentState.PENDING,
            0 if decision.counts_as_attempt else 1,
            decision.mark_repeat,
            decision.wait,
            leased.intent_id,
        ],
    )


def _queue_lane_released(
    pipeline: StatementPipeline, lane_tag: LaneTag, *, parked_for: timedelta | None = None
) -> None:
    if parked_for is not None:
        pipeline.queue_write(
            "UPDATE outbox.lane SET parked_until = now() + %s WHERE lane_tag = %s", [parked_for, lane_tag]
        )
    pipeline.queue_write(
        """
        UPDATE outbox.lane SET lease_id = NULL, lease_until = NULL, touched_at = now(), due_at = """
        + _DUE_AT
        + """
        WHERE lane_tag = %(lane_tag)s
        """,
        {"talk_burst": TALK_BURST, "live": _LIVE_STATES, "lane_tag": lane_tag},
    )


def _queue_failure_counted(pipeline: StatementPipeline, lane_tag: LaneTag) -> Answer[int]:
    return pipeline.queue(
        """
        INSERT INTO outbox.send_pace AS pace (scope, failures_in_a_row, failed_lane_tag) VALUES ('all', 1, %s)
        ON CONFLICT (scope) DO UPDATE SET
            failures_in_a_row = pace.failures_in_a_row
                + CASE WHEN pace.failed_lane_tag IS DISTINCT FROM EXCLUDED.failed_lane_tag THEN 1 ELSE 0 END,
            failed_lane_tag = EXCLUDED.failed_lane_tag
        RETURNING failures_in_a_row
        """,
        [lane_tag],
        read=lambda rows: rows[0][0],
    )


def _queue_everything_parked(pipeline: StatementPipeline, *, wait: timedelta) -> None:
    pipeline.queue_write(
        """
        INSERT INTO outbox.send_pace AS pace (scope, parked_until) VALUES ('all', now() + %s)
        ON CONFLICT (scope) DO UPDATE SET parked_until = greatest(pace.parked_until, EXCLUDED.parked_until)
        """,
        [wait],
    )
