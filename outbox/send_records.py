"""What is written down after a send.

Every record is fenced by the lease: a worker whose lease has passed can change nothing.
"""

from nekonymous_site.pipeline import StatementPipeline, any_row
from outbox.breaker_policy import breaker_pause, decide_while_breaker_is_open
from outbox.delivery_policy import (
    Decision,
    Fate,
    IntentState,
    leaves_doubt,
)
from outbox.errors import StaleLease
from outbox.lanes import LeasedIntent, queue_lane_released
from outbox.send_pace import (
    queue_everything_parked,
    queue_failure_counted,
    queue_failures_forgotten,
    queue_rate_limit_noted,
)
from outbox.send_result import Failed, FailureKind, SendResult, Sent

_SIGNS_OF_OUTAGE = (FailureKind.TRANSIENT, FailureKind.UNKNOWN)
_ANSWERS = (
    FailureKind.RATE_LIMITED,
    FailureKind.PERMISSION,
    FailureKind.NOT_FOUND,
)


def _is_sign_of_outage(leased: LeasedIntent, result: Failed) -> bool:
    """An abandoned send tells of a worker that died, not of the Bot API."""
    return result.kind in _SIGNS_OF_OUTAGE and not result.is_ours and not leased.abandoned


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

    Five failures in a row, from changing lanes or without reaching it at all, open the breaker: no attempt is
    used up while it is open. A send, and a refusal that only concerns one chat, close it. Five of one lane
    alone, while nobody else has been answered, may be either: that lane waits and uses up no attempt, and
    nobody else is parked.
    """
    if isinstance(result, Failed) and _is_sign_of_outage(leased, result):
        failures = queue_failure_counted(pipeline, leased.lane_tag, never_left=result.never_left)
        changing = breaker_pause(failures.value.changing_lanes)
        pause = changing or breaker_pause(failures.value.any_lane)
        if pause is not None:
            return decide_while_breaker_is_open(
                leased.kind,
                decision=decision,
                is_unknown=leaves_doubt(leased.kind, failed=result),
                pause=pause,
                park_everything=changing is not None,
            )
    return decision


def queue_answer_noted(
    pipeline: StatementPipeline, leased: LeasedIntent, *, result: SendResult, decision: Decision
) -> None:
    """Note beside the pace what an answer says of the Bot API: last, after whatever waits for rows."""
    if isinstance(result, Failed) and result.kind is FailureKind.RATE_LIMITED:
        queue_rate_limit_noted(pipeline, leased.lane_tag, wait=decision.wait)
    if isinstance(result, Sent) or (isinstance(result, Failed) and result.kind in _ANSWERS):
        queue_failures_forgotten(pipeline)


def record_decision(pipeline: StatementPipeline, leased: LeasedIntent, *, decision: Decision) -> None:
    """Write what became of an intent and release its lane. Needs `require_lease` in the same transaction."""
    match decision.fate:
        case Fate.RETRY | Fate.RETRY_UNKNOWN:
            _queue_retry(pipeline, leased, decision=decision)
        case Fate.PART_SENT:
            # It stays where it is, so that its next part follows before anything else of its class.
            pipeline.queue_write(
                """
                UPDATE outbox.intent SET state = 'pending', parts_sent = parts_sent + 1, attempts = 0
                WHERE intent_id = %s
                """,
                [leased.intent_id],
            )
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
        queue_everything_parked(pipeline, wait=decision.wait)
    queue_lane_released(pipeline, leased.lane_tag, parked_for=decision.wait if decision.park_lane else None)


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
