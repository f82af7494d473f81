"""What the server refuses in a message's keyboard."""

import json
from dataclasses import dataclass

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.button_checks import check_inline_button, check_style
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.parameters import Parameters

_MAX_BUTTONS = 100
_MAX_MARKUP_BYTES = 10_240


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyMarkup:
    """A checked keyboard: under the message, or in place of the letters, or neither."""

    inline_keyboard: JsonObject | None = None
    reply_keyboard: JsonObject | None = None


def read_reply_markup(parameters: Parameters) -> ReplyMarkup:
    """Read ``reply_markup`` of a send or an edit. Raises BotApiError as the server does."""
    markup = parameters.json_object("reply_markup")
    if not markup:
        return ReplyMarkup()
    if "inline_keyboard" in markup:
        return ReplyMarkup(inline_keyboard=_check_inline_keyboard(markup))
    if markup.keys() & {"keyboard", "remove_keyboard", "force_reply"}:
        return ReplyMarkup(reply_keyboard=_check_reply_keyboard(markup))
    raise bad_request("can't parse reply keyboard markup JSON object")


def _check_inline_keyboard(markup: JsonObject) -> JsonObject | None:
    rows = [row for row in _rows_of(markup["inline_keyboard"], field="inline_keyboard") if row]
    _check_size(rows)
    for row in rows:
        for button in row:
            check_inline_button(button)
    return {"inline_keyboard": rows} if rows else None


def _check_reply_keyboard(markup: JsonObject) -> JsonObject:
    rows = _rows_of(markup.get("keyboard", []), field="keyboard")
    _check_size(rows)
    texts = [[_read_reply_button(button) for button in row] for row in rows]
    return {**markup, "keyboard": texts} if "keyboard" in markup else markup


def _read_reply_button(button: object) -> JsonObject:
    found = {"text": button} if isinstance(button, str) else button
    if isinstance(found, dict) and isinstance(found.get("text"), str) and found["text"]:
        check_style(found, kind="keyboard button")
        return found
    raise bad_request("can't parse keyboard button: button text must be non-empty")


def _rows_of(value: object, *, field: str) -> list[list[object]]:
    if isinstance(value, list) and all(isinstance(row, list) for row in value):
        return value
    reason = f'can\'t parse reply markup: field "{field}" must be of type Array of Arrays'
    raise bad_request(reason)


def _check_size(rows: list[list[object]]) -> None:
    too_many = sum(len(row) for row in rows) > _MAX_BUTTONS
    if too_many or len(json.dumps(rows, ensure_ascii=False).encode()) > _MAX_MARKUP_BYTES:
        raise bad_request("reply markup is too long")
