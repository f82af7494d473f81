"""What the operator has to know of a send: the token is refused, it works again, a letter died."""

from dataclasses import dataclass

import structlog

import outbox.send_stops
from nekonymous_site.bot.operator_alerts import Alert, queue_alert, queue_alerts_locked
from nekonymous_site.pipeline import Answer, StatementPipeline
from outbox.delivery_policy import Decision, Fate
from outbox.intent_kinds import IntentKind
from outbox.lanes import LeasedIntent
from outbox.send_result import Failed, FailureKind, SendResult

log = structlog.get_logger("pump")


@dataclass(frozen=True, slots=True, kw_only=True)
class SendSigns:
    """What is to be logged of a send once its record is committed."""

    has_stopped: bool = False
    has_resumed: Answer[bool] | None = None
    dead_kind: IntentKind | None = None

    def tell(self) -> None:
        """Log it, at the level of errors, which is where an operator without a chat looks."""
        if self.has_stopped:
            log.error("sending_stopped", error_class=FailureKind.AUTH.value)
        if self.has_resumed is not None and self.has_resumed.value:
            log.error("sending_resumed")
        if self.dead_kind is not None:
            log.error("letter_died", operation=self.dead_kind.value)


def prepare_send_signs(pipeline: StatementPipeline, *, result: SendResult, decision: Decision) -> None:
    """Lock what `queue_send_signs` may need before the record of a send locks anything but its own lane."""
    if _is_refusal(result) or decision.fate is Fate.DEAD:
        queue_alerts_locked(pipeline)


def queue_send_signs(
    pipeline: StatementPipeline, leased: LeasedIntent, *, result: SendResult, decision: Decision
) -> SendSigns:
    """Note a stop, its end or a death, and queue the alert of it; needs `prepare_send_signs` before.

    An alert that dies is only logged: one more could do no better.
    """
    has_stopped, has_resumed, dead_kind = False, None, None
    if _is_refusal(result):
        has_stopped = outbox.send_stops.queue_stop_noted(pipeline).value
    elif outbox.send_stops.shows_token_works(result):
        has_resumed = outbox.send_stops.queue_stop_ended(pipeline)  # read after the commit: it costs no turn
    if has_stopped:
        queue_alert(pipeline, Alert.SENDING_STOPPED)
    if decision.fate is Fate.DEAD:
        dead_kind = leased.kind
        if leased.kind is not IntentKind.OPERATOR_ALERT:
            queue_alert(pipeline, Alert.LETTER_DIED)
    return SendSigns(has_stopped=has_stopped, has_resumed=has_resumed, dead_kind=dead_kind)


def _is_refusal(result: SendResult) -> bool:
    return isinstance(result, Failed) and result.kind is FailureKind.AUTH
