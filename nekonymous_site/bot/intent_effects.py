"""What else changes when the fate of an intent is known, in the transaction that records it."""

import accounts.services
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.deliver_ticket import (
    DeliveryOrder,
    call_off_delivery,
    confirm_delivery,
    give_back_delivery,
)
from outbox.delivery_policy import Decision, Fate, IntentKind
from outbox.errors import IntentUnreadable
from outbox.lanes import LeasedIntent
from outbox.send_result import Failed, FailureKind, SendResult

_CANNOT_BE_REACHED = (FailureKind.PERMISSION, FailureKind.NOT_FOUND)


def apply_fate(
    pipeline: StatementPipeline,
    leased: LeasedIntent,
    *,
    decision: Decision,
    result: SendResult,
) -> None:
    """Queue what a fate means for the person and, for a delivery, for the message.

    The sealed body is opened only where a fate asks for it. One that is spoilt has no effect any more; raises
    UnknownKeyId when another process may be able to open it.
    """
    if decision.fate in (Fate.RETRY, Fate.RETRY_UNKNOWN):
        return
    unreachable = (
        decision.fate in (Fate.FAILED, Fate.DEAD)
        and isinstance(result, Failed)
        and result.kind in _CANNOT_BE_REACHED
    )
    if not unreachable and leased.kind is not IntentKind.TICKET:
        return
    try:
        body = leased.body()
    except IntentUnreadable:
        return
    if unreachable:
        accounts.services.queue_unreachable(pipeline, AccountId(bytes.fromhex(body["account"])))
    if leased.kind is IntentKind.TICKET:
        _apply_ticket_fate(
            pipeline, leased, order=DeliveryOrder.from_body(body), decision=decision, result=result
        )


def _apply_ticket_fate(
    pipeline: StatementPipeline,
    leased: LeasedIntent,
    *,
    order: DeliveryOrder,
    decision: Decision,
    result: SendResult,
) -> None:
    match decision.fate:
        case Fate.SENT:
            confirm_delivery(pipeline, order)
        case Fate.SUPPRESSED:
            call_off_delivery(pipeline, order)
        case Fate.FAILED:
            give_back_delivery(
                pipeline,
                order,
                # Whoever cannot be reached is told on return; a message that cannot be shown waits
                # to be asked for.
                announce=isinstance(result, Failed)
                and result.kind in (FailureKind.TRANSIENT, FailureKind.UNKNOWN),
                possible_repeat=leased.possible_repeat or decision.mark_repeat,
            )
