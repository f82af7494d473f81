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

    Raises CryptoError when the sealed body cannot be opened; a result of our own making never asks for it.
    """
    if decision.fate in (Fate.RETRY, Fate.RETRY_UNKNOWN):
        return
    body = leased.body()
    unreachable = (
        decision.fate in (Fate.FAILED, Fate.DEAD)
        and isinstance(result, Failed)
        and result.kind in _CANNOT_BE_REACHED
    )
    if unreachable:
        accounts.services.queue_unreachable(pipeline, AccountId(bytes.fromhex(body["account"])))
    if leased.kind is not IntentKind.TICKET:
        return
    order = DeliveryOrder.from_body(body)
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
