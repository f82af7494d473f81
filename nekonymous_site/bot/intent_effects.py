"""What else changes when the fate of an intent is known, in the transaction that records it."""

from contextlib import suppress
from typing import Any

import accounts.services
import outbox.progress
from nekonymous_site.bot.refused_tickets import take_refusal
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.deliver_ticket import (
    DeliveryOrder,
    call_off_delivery,
    confirm_delivery,
    give_back_delivery,
    give_back_whole_attempt,
    note_nothing_arrived,
)
from nekonymous_site.workflows.show_progress import note_delivery_step, queue_progress_edit
from outbox.delivery_policy import Decision, Fate
from outbox.errors import IntentUnreadable
from outbox.intent_kinds import POLICIES, IntentKind
from outbox.lanes import LeasedIntent
from outbox.send_result import Failed, FailureKind, SendResult, Sent

_CANNOT_BE_REACHED = (FailureKind.PERMISSION, FailureKind.NOT_FOUND)


def apply_fate(
    pipeline: StatementPipeline,
    leased: LeasedIntent,
    *,
    decision: Decision,
    result: SendResult,
    method: str | None = None,
    ended_progress: bytes | None = None,
) -> None:
    """Queue what a fate means for the person and, for a delivery, for the message.

    `method` is what was called, if anything was. The sealed body is opened only where a fate asks for it.
    One that is spoilt has no effect any more; raises UnknownKeyId when another process may open it.
    """
    if decision.fate is Fate.RETRY_UNKNOWN:
        return
    if decision.fate is Fate.RETRY:
        _apply_retry(pipeline, leased, result=result)
        return
    _apply_progress_fate(pipeline, leased, result=result, ended_progress=ended_progress)
    is_unreachable = tells_unreachable(leased, decision=decision, result=result)
    if not is_unreachable and leased.kind is not IntentKind.TICKET:
        return
    try:
        body = leased.body()
    except IntentUnreadable:
        return
    if leased.kind is IntentKind.TICKET:
        _apply_ticket_fate(pipeline, leased, body=body, decision=decision, result=result, method=method)
    if is_unreachable:
        accounts.services.queue_unreachable(pipeline, AccountId(bytes.fromhex(body["account"])))


def _apply_retry(pipeline: StatementPipeline, leased: LeasedIntent, *, result: SendResult) -> None:
    """Nothing of a refused ticket has arrived yet: until the next attempt its sender can take it back."""
    was_refused = isinstance(result, Failed) and not result.is_ours
    if was_refused and leased.kind is IntentKind.TICKET and _is_untouched(leased):
        with suppress(IntentUnreadable):
            note_nothing_arrived(pipeline, DeliveryOrder.from_body(leased.body()))


def _is_untouched(leased: LeasedIntent) -> bool:
    return leased.parts_sent == 0 and not leased.possible_repeat


def tells_unreachable(leased: LeasedIntent, *, decision: Decision, result: SendResult) -> bool:
    """Say whether this end means that nothing reaches the chat; of an edit only the message is gone."""
    if not isinstance(result, Failed) or decision.fate not in (Fate.FAILED, Fate.DEAD):
        return False
    if leased.kind is IntentKind.OPERATOR_ALERT:
        return False  # that chat is nobody's account
    if POLICIES[leased.kind].edits and result.kind is FailureKind.NOT_FOUND:
        return False
    return result.kind in _CANNOT_BE_REACHED


def _apply_progress_fate(
    pipeline: StatementPipeline, leased: LeasedIntent, *, result: SendResult, ended_progress: bytes | None
) -> None:
    if leased.kind is IntentKind.PROGRESS and isinstance(result, Sent) and result.message_id is not None:
        outbox.progress.queue_progress_shown(
            pipeline,
            leased.lane_tag,
            progress_id=bytes.fromhex(leased.body()["progress"]),
            message_id=result.message_id,
        )
    if ended_progress is None:
        return
    if _is_message_gone(pipeline, leased, result=result):
        # Its reader has deleted it: what came of the delivery is said in a message of its own.
        outbox.progress.queue_progress_message_gone(pipeline, leased.lane_tag, progress_id=ended_progress)
        queue_progress_edit(pipeline, body=leased.body(), progress_id=ended_progress)
        return
    outbox.progress.queue_progress_ended(pipeline, leased.lane_tag, progress_id=ended_progress)


def _is_message_gone(pipeline: StatementPipeline, leased: LeasedIntent, *, result: SendResult) -> bool:
    """Whether the last word was to go into a message that is not there; what is sent anew knows none."""
    if not isinstance(result, Failed) or result.is_ours or result.kind is not FailureKind.NOT_FOUND:
        return False
    progress = outbox.progress.queue_progress(pipeline, leased.lane_tag).value
    return progress is not None and progress.message_envelope is not None


def _apply_ticket_fate(
    pipeline: StatementPipeline,
    leased: LeasedIntent,
    *,
    body: dict[str, Any],
    decision: Decision,
    result: SendResult,
    method: str | None,
) -> None:
    order = DeliveryOrder.from_body(body)
    match decision.fate:
        case Fate.PART_SENT:
            return  # its sender could not take it back any more when it left
        case Fate.SENT:
            confirm_delivery(pipeline, order)
        case Fate.SUPPRESSED:
            call_off_delivery(pipeline, order)
        case Fate.FAILED:
            if _is_untouched(leased) and not decision.mark_repeat:
                note_nothing_arrived(pipeline, order)
            possible_repeat = leased.possible_repeat or decision.mark_repeat or leased.parts_sent > 0
            if isinstance(result, Failed) and result.kind is FailureKind.INVALID_PAYLOAD:
                take_refusal(
                    pipeline,
                    body=body,
                    refusal=result.payload_refusal,
                    method=method,
                    possible_repeat=possible_repeat,
                )
            else:
                give_back_delivery(
                    pipeline,
                    order,
                    # Whoever cannot be reached is told on return.
                    announce=isinstance(result, Failed)
                    and result.kind in (FailureKind.TRANSIENT, FailureKind.UNKNOWN),
                    possible_repeat=possible_repeat,
                )
            if tells_unreachable(leased, decision=decision, result=result):
                give_back_whole_attempt(pipeline, order)
    note_delivery_step(pipeline, leased.lane_tag, body=body, delivered=decision.fate is Fate.SENT)
