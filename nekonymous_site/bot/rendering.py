"""What an intent looks like when its turn comes: from a sealed body to one Bot API call."""

from collections.abc import Callable
from typing import Any, Final

import accounts.selectors
from nekonymous_site.bot import keyboards, outcome_texts
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.deliver_ticket import CalledOff, DeliveryOrder, open_delivery
from outbox.delivery_policy import IntentKind
from outbox.lanes import LeasedIntent
from outbox.send_result import Suppressed
from outbox.telegram_client import BotApiCall

Rendered = BotApiCall | Suppressed
Render = Callable[[StatementPipeline, LeasedIntent, dict[str, Any]], Rendered]


def render_intent(pipeline: StatementPipeline, leased: LeasedIntent) -> Rendered:
    """Render an intent from what is true now. Raises CryptoError when something cannot be opened."""
    body = leased.body()
    return _RENDERS[leased.kind](pipeline, leased, body)


def render_plain(call: BotApiCall) -> BotApiCall | None:
    """Render a refused text once more without its entities; None when it had none."""
    if not call.parameters.get("entities"):
        return None
    plain = {name: value for name, value in call.parameters.items() if name != "entities"}
    return BotApiCall(method=call.method, parameters=plain)


def _render_ready_message(
    _pipeline: StatementPipeline, _leased: LeasedIntent, body: dict[str, Any]
) -> Rendered:
    return _send_message(body["chat"], **body["parameters"])


def _render_notice(pipeline: StatementPipeline, _leased: LeasedIntent, body: dict[str, Any]) -> Rendered:
    account_id = AccountId(bytes.fromhex(body["account"]))
    count = accounts.selectors.queue_unread_count(pipeline, account_id).value
    if count == 0:
        return Suppressed(why="nothing_waits")
    return _send_message(
        body["chat"],
        text=outcome_texts.notice(body["language"], count=count),
        reply_markup=keyboards.inbox_keyboard(body["language"]),
    )


def _render_ticket(pipeline: StatementPipeline, leased: LeasedIntent, body: dict[str, Any]) -> Rendered:
    order = DeliveryOrder.from_body(body)
    content = open_delivery(pipeline, order)
    if isinstance(content, CalledOff):
        return Suppressed(why=content.why)
    replied_to = (
        {"message_id": content.reply_to_message_id, "allow_sending_without_reply": True}
        if content.reply_to_message_id
        else None
    )
    return _send_message(
        body["chat"],
        text=content.text,
        entities=content.entities,
        protect_content=True,
        link_preview_options={"is_disabled": True},
        reply_parameters=replied_to,
        reply_markup=keyboards.ticket_keyboard(
            order.capability, language=body["language"], possible_repeat=leased.possible_repeat
        ),
    )


def _send_message(chat_id: int, **parameters: object) -> BotApiCall:
    given = {name: value for name, value in parameters.items() if value}
    return BotApiCall(method="sendMessage", parameters={"chat_id": chat_id, **given})


_RENDERS: Final[dict[IntentKind, Render]] = {
    IntentKind.ACKNOWLEDGEMENT: _render_ready_message,
    IntentKind.SCREEN: _render_ready_message,
    IntentKind.PROMPT: _render_ready_message,
    IntentKind.NOTICE: _render_notice,
    IntentKind.TICKET: _render_ticket,
}
