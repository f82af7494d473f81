"""Lanes: who may send what, and when.

A worker takes one due lane together with one intent and one token of the shared limiter, in one transaction;
sends outside of any transaction; and records the result in a second one (`outbox.send_records`). All clocks
are the database's.
"""

import json
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, LiteralString

from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.crypto.identifiers import Envelope, IntentTag, LaneTag
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.pipeline import Answer, Row, StatementPipeline
from outbox.delivery_policy import IntentState
from outbox.errors import IntentUnreadable
from outbox.intent_kinds import IntentKind, LaneClass
from outbox.send_pace import queue_pace_taken
from outbox.services import intent_record

LANE_INTERVAL: Final = timedelta(seconds=1)
TALK_BURST: Final = timedelta(seconds=4)  # five talk sends at once, then one a second
LEASE_FLOOR_SECONDS: Final = 60

_LIVE_STATES: Final = [IntentState.PENDING, IntentState.SENDING, IntentState.UNKNOWN_AFTER_SEND]
# A kind that only a newer version knows is left to it and holds up nothing here.
_KNOWN_KINDS: Final = list(IntentKind)

# The lane is due again when its next intent may go: the earlier of the heads of its two classes, each behind
# its wait and its pace.
_RELEASE_LANE: Final[LiteralString] = """
    UPDATE outbox.lane SET lease_id = NULL, lease_until = NULL, touched_at = now(), due_at = (
        SELECT min(greatest(now(), lane.parked_until, head.not_before, CASE head.lane_class
            WHEN 0 THEN lane.talk_paced_until - %(talk_burst)s ELSE lane.post_paced_until END))
        FROM (SELECT DISTINCT ON (lane_class) lane_class, not_before FROM outbox.intent
              WHERE intent.lane_tag = lane.lane_tag AND state = ANY(%(live)s) AND kind = ANY(%(kinds)s)
              ORDER BY lane_class, position) AS head)
    WHERE lane_tag = %(lane_tag)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedIntent:
    """An intent that only the holder of this lease may send and record."""

    intent_id: bytes
    kind: IntentKind
    attempts: int  # this one included
    possible_repeat: bool
    abandoned: bool  # its last holder vanished while sending: nobody knows whether it arrived
    parts_sent: int  # of an album or a long text, which goes out call by call
    intent_tag: IntentTag = field(repr=False)
    lane_position: int  # the lane's next one when it was leased: whatever is asked for later moves it
    lane_tag: LaneTag = field(repr=False)
    lease_id: bytes = field(repr=False)
    envelope: Envelope = field(repr=False)

    def body(self) -> dict[str, Any]:
        """Open the sealed body; raises IntentUnreadable, or UnknownKeyId while only a key is missing here."""
        try:
            plaintext = open_record(
                intent_record(self.kind), record_id=self.intent_id, envelope=self.envelope
            )
        except EnvelopeUnreadable:
            raise IntentUnreadable from None
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
    lane_tag, lane_position, now, paced_until = lane
    head = _choose_head(_queue_heads(pipeline, lane_tag).value, now=now, paced_until=paced_until)
    if head is None:
        queue_lane_released(pipeline, lane_tag)
        return LaneWaits()
    if not head.abandoned and not queue_pace_taken(pipeline, sends_per_second=sends_per_second).value:
        queue_lane_released(pipeline, lane_tag)
        return Throttled(wait_seconds=1 / sends_per_second)
    _queue_sending(pipeline, head)
    return LeasedIntent(
        intent_id=head.intent_id,
        kind=head.kind,
        attempts=head.attempts + (0 if head.abandoned else 1),
        possible_repeat=head.possible_repeat,
        abandoned=head.abandoned,
        parts_sent=head.parts_sent,
        intent_tag=head.intent_tag,
        lane_position=lane_position,
        lane_tag=lane_tag,
        lease_id=lease_id,
        envelope=head.envelope,
    )


def queue_asked_since_leased(pipeline: StatementPipeline, leased: LeasedIntent) -> Answer[bool]:
    """Ask whether anything was asked for in this lane since the lease was taken. Needs the lane's lock."""
    return pipeline.queue(
        "SELECT next_position > %s FROM outbox.lane WHERE lane_tag = %s",
        [leased.lane_position, leased.lane_tag],
        read=lambda rows: rows[0][0],
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


def queue_lane_released(
    pipeline: StatementPipeline, lane_tag: LaneTag, *, parked_for: timedelta | None = None
) -> None:
    """Give a lane back and tell it when it is next due; `parked_for` keeps it still before that."""
    if parked_for is not None:
        pipeline.queue_write(
            "UPDATE outbox.lane SET parked_until = now() + %s WHERE lane_tag = %s", [parked_for, lane_tag]
        )
    pipeline.queue_write(
        _RELEASE_LANE,
        {"talk_burst": TALK_BURST, "live": _LIVE_STATES, "kinds": _KNOWN_KINDS, "lane_tag": lane_tag},
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Head:
    intent_id: bytes
    intent_tag: IntentTag
    kind: IntentKind
    lane_class: LaneClass
    abandoned: bool
    attempts: int
    possible_repeat: bool
    parts_sent: int
    not_before: datetime | None
    envelope: Envelope

    @classmethod
    def from_row(cls, row: Row) -> "_Head":
        intent_id, intent_tag, kind, lane_class, state, attempts, possible_repeat, *rest = row
        parts_sent, not_before, body = rest
        return cls(
            intent_id=intent_id,
            intent_tag=intent_tag,
            kind=IntentKind(kind),
            lane_class=LaneClass(lane_class),
            abandoned=state == IntentState.SENDING,
            attempts=attempts,
            possible_repeat=possible_repeat,
            parts_sent=parts_sent,
            not_before=not_before,
            envelope=body,
        )


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


_LeasedLane = tuple[LaneTag, int, datetime, dict[LaneClass, datetime | None]]


def _queue_lane_leased(
    pipeline: StatementPipeline, *, lease_id: bytes, lease: timedelta, grace: timedelta
) -> Answer[_LeasedLane | None]:
    def read(rows: list[Row]) -> _LeasedLane | None:
        if not rows:
            return None
        lane_tag, position, now, talk, post = rows[0]
        return LaneTag(lane_tag), position, now, {LaneClass.TALK: talk, LaneClass.POST: post}

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
        RETURNING lane.lane_tag, lane.next_position, now(), lane.talk_paced_until, lane.post_paced_until
        """,
        [grace, lease_id, lease, lease],
        read=read,
    )


def _queue_heads(pipeline: StatementPipeline, lane_tag: LaneTag) -> Answer[list[_Head]]:
    return pipeline.queue(
        """
        SELECT DISTINCT ON (lane_class) intent_id, intent_tag, kind, lane_class, state, attempts,
            possible_repeat, parts_sent, not_before, body
        FROM outbox.intent WHERE lane_tag = %s AND state = ANY(%s) AND kind = ANY(%s)
        ORDER BY lane_class, position
        """,
        [lane_tag, _LIVE_STATES, _KNOWN_KINDS],
        read=lambda rows: [_Head.from_row(row) for row in rows],
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
