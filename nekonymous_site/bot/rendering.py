"""What an intent looks like when its turn comes: from a sealed body to one Bot API call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import accounts.selectors
import outbox.progress
from nekonymous_site.bot import keyboards, outcome_texts
from nekonymous_site.bot.operator_alerts import alert_parameters
from nekonymous_site.bot.ticket_calls import TicketFrame, build_call, split_into_calls
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.deliver_ticket import CalledOff, DeliveryOrder, begin_parts, open_delivery
from outbox.intent_kinds import IntentKind
from outbox.lanes import LeasedIntent
from outbox.progress import ProgressPhase
from outbox.send_result import Suppressed
from outbox.telegram_client import BotApiCall


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedCall:
    """One call, and what it means for its intent that it has been made."""

    call: BotApiCall
    parts_left: bool = False  # of a ticket that takes several calls
    ended_progress: bytes | None = None  # nothing more is on its way: its message has its last text


Rendered = RenderedCall | Suppressed
Render = Callable[[StatementPipeline, LeasedIntent, dict[str, Any]], Rendered]


def render_intent(pipeline: StatementPipeline, leased: LeasedIntent) -> Rendered:
    """Render an intent from what is true now. Raises CryptoError when something cannot be opened."""
    body = leased.body()
    return _RENDERS[leased.kind](pipeline, leased, body)


def _render_ready_call(_pipeline: StatementPipeline, _leased: LeasedIntent, body: dict[str, Any]) -> Rendered:
    return RenderedCall(call=_call(body["method"], body["chat"], **body["parameters"]))


def _render_notice(pipeline: StatementPipeline, _leased: LeasedIntent, body: dict[str, Any]) -> Rendered:
    account_id = AccountId(bytes.fromhex(body["account"]))
    count = accounts.selectors.queue_unread_count(pipeline, account_id).value
    if count == 0:
        return Suppressed(why="nothing_waits")
    return RenderedCall(
        call=_call(
            "sendMessage",
            body["chat"],
            text=outcome_texts.notice(body["language"], count=count),
            reply_markup=keyboards.inbox_keyboard(body["language"]),
        )
    )


def _render_ticket(pipeline: StatementPipeline, leased: LeasedIntent, body: dict[str, Any]) -> Rendered:
    order = DeliveryOrder.from_body(body)
    delivery = open_delivery(pipeline, order)
    if isinstance(delivery, CalledOff):
        return Suppressed(why=delivery.why)
    calls = split_into_calls(delivery.content)
    is_last = leased.parts_sent == len(calls) - 1
    # What has begun to arrive, or may have, is brought to its end: its buttons are still to come.
    may_have_begun = leased.possible_repeat and leased.attempts > 1 and not is_last
    has_begun = leased.parts_sent > 0 or may_have_begun
    if delivery.blocked and not has_begun:
        return Suppressed(why="sender_blocked")
    if not is_last and not leased.parts_sent and not begin_parts(pipeline, order):
        return Suppressed(why="ticket_gone")
    keyboard = keyboards.ticket_keyboard(
        order.capability,
        language=body["language"],
        nickname=delivery.nickname,
        possible_repeat=leased.possible_repeat,
    )
    frame = TicketFrame(
        chat_id=body["chat"],
        language=body["language"],
        reply_to_message_id=delivery.content.reply_to_message_id,
    )
    call = build_call(calls[leased.parts_sent], frame=frame, keyboard=keyboard if is_last else None)
    return RenderedCall(call=call, parts_left=not is_last)


def _render_progress(pipeline: StatementPipeline, leased: LeasedIntent, body: dict[str, Any]) -> Rendered:
    """Begin a live count, unless another one has begun meanwhile."""
    found = outbox.progress.queue_progress(pipeline, leased.lane_tag)
    if _progress_of(body, found.value) is None:
        return Suppressed(why="another_progress")
    return _render_ready_call(pipeline, leased, body)


def _render_progress_edit(
    pipeline: StatementPipeline, leased: LeasedIntent, body: dict[str, Any]
) -> Rendered:
    """Say how far it is, in the message that is there; the end is told anew where none is known."""
    found = outbox.progress.queue_progress(pipeline, leased.lane_tag)
    counts = accounts.selectors.queue_inbox_counts(pipeline, AccountId(bytes.fromhex(body["account"]))).value
    progress = _progress_of(body, found.value)
    if progress is None:
        return Suppressed(why="no_progress_message")
    message_id = progress.message_id()
    phase = outbox.progress.find_phase(progress, on_the_way=counts.on_the_way)
    is_over = phase is ProgressPhase.FINALIZING
    text = _progress_text(
        body["language"],
        progress=progress,
        # What came in between the request and the drain comes along.
        total=max(progress.total, progress.delivered + counts.on_the_way),
        waiting=counts.waiting if is_over else None,
    )
    if message_id is not None:
        call = _call("editMessageText", body["chat"], message_id=message_id, text=text)
    elif is_over:
        call = _call("sendMessage", body["chat"], text=text)
    else:
        return Suppressed(why="no_progress_message")
    return RenderedCall(call=call, ended_progress=progress.progress_id if is_over else None)


def _render_operator_alert(
    _pipeline: StatementPipeline, _leased: LeasedIntent, body: dict[str, Any]
) -> Rendered:
    parameters = alert_parameters(body)
    if parameters is None:
        return Suppressed(why="no_operator_chat")
    return RenderedCall(call=BotApiCall(method="sendMessage", parameters=parameters))


def _progress_of(
    body: dict[str, Any], found: outbox.progress.Progress | None
) -> outbox.progress.Progress | None:
    """Give the progress of a lane when it is still the one that the intent was queued for."""
    return found if found is not None and found.progress_id.hex() == body["progress"] else None


def _progress_text(
    language: str, *, progress: outbox.progress.Progress, total: int, waiting: int | None
) -> str:
    """Say how far it is, or, with a number that still waits, what came of it."""
    if waiting is None:
        return outcome_texts.progress(language, delivered=progress.delivered, total=total)
    if waiting:
        return outcome_texts.progress_left(language, delivered=progress.delivered, left=waiting)
    if progress.delivered:
        return outcome_texts.progress_done(language, delivered=progress.delivered)
    return outcome_texts.inbox_empty(language)


def _call(method: str, chat_id: int, **parameters: object) -> BotApiCall:
    return BotApiCall(method=method, parameters={"chat_id": chat_id, **parameters})


_RENDERS: Final[dict[IntentKind, Render]] = {
    IntentKind.ACKNOWLEDGEMENT: _render_ready_call,
    IntentKind.QUESTION: _render_ready_call,
    IntentKind.SCREEN: _render_ready_call,
    IntentKind.PROMPT: _render_ready_call,
    IntentKind.EDIT: _render_ready_call,
    IntentKind.PROGRESS: _render_progress,
    IntentKind.PROGRESS_EDIT: _render_progress_edit,
    IntentKind.NOTICE: _render_notice,
    IntentKind.TICKET: _render_ticket,
    IntentKind.OPERATOR_ALERT: _render_operator_alert,
}
