"""The way to the Bot API, watched: which message was sent, and what its sender's process was told."""

from dataclasses import dataclass
from typing import Any

import pytest

from nekonymous_site.bot.callback_data import REPEAT_MARK
from outbox import telegram_client
from outbox.send_result import Failed, FailureKind, SendResult, Sent
from outbox.telegram_client import BotApiCall


@dataclass(frozen=True, kw_only=True)
class WatchedCall:
    """One call with what came of it."""

    chat_id: int
    text: object
    answers: int | None
    is_marked: bool
    result: SendResult

    @property
    def is_unknown(self) -> bool:
        return isinstance(self.result, Failed) and self.result.kind is FailureKind.UNKNOWN

    @property
    def is_sent(self) -> bool:
        return isinstance(self.result, Sent)


class WatchedLine:
    """Hands every call on as it is, and remembers it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._send = telegram_client.send
        self._calls: list[WatchedCall] = []
        monkeypatch.setattr(telegram_client, "send", self.send)

    def send(self, call: BotApiCall) -> SendResult:
        result = self._send(call)
        if call.method == "sendMessage":
            self._calls.append(_watch(call.parameters, result))
        return result

    def take_calls(self) -> list[WatchedCall]:
        """Give what was called since the last time."""
        calls, self._calls = self._calls, []
        return calls


def is_marked(parameters: dict[str, Any]) -> bool:
    """Whether a call's buttons say that its message may be a repeat."""
    rows = (parameters.get("reply_markup") or {}).get("inline_keyboard", [])
    return any(button.get("callback_data") == REPEAT_MARK for row in rows for button in row)


def _watch(parameters: dict[str, Any], result: SendResult) -> WatchedCall:
    replied_to = parameters.get("reply_parameters") or {}
    return WatchedCall(
        chat_id=parameters["chat_id"],
        text=parameters.get("text"),
        answers=replied_to.get("message_id"),
        is_marked=is_marked(parameters),
        result=result,
    )
