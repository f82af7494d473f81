"""What the server refuses in one button under a message."""

import re
from urllib.parse import urlsplit

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.text_units import count_utf16_units

MAX_CALLBACK_DATA_BYTES = 64
_MAX_COPIED_UNITS = 256
_STYLES = frozenset({"danger", "success", "primary"})
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://", re.ASCII)
# What a button does, and the type that the server wants it to have.
_ACTIONS: dict[str, type[str] | type[JsonObject]] = {
    "callback_data": str,
    "url": str,
    "copy_text": dict,
    "web_app": dict,
    "switch_inline_query": str,
    "switch_inline_query_current_chat": str,
    "switch_inline_query_chosen_chat": dict,
}


def is_valid_callback_data(data: object) -> bool:
    """Whether the server would carry this as a button's data."""
    return isinstance(data, str) and 1 <= len(data.encode()) <= MAX_CALLBACK_DATA_BYTES


def check_inline_button(button: object) -> None:
    """Check a button of an inline keyboard. Raises BotApiError as the server does."""
    if not isinstance(button, dict):
        raise _unparsable("expected an Object")
    if "text" not in button:
        raise _unparsable('Can\'t find field "text"')
    if not isinstance(button["text"], str):
        raise _unparsable('Field "text" must be of type String')
    if not button["text"].strip():
        raise bad_request("inline keyboard button text must be non-empty")
    check_style(button, kind="inline keyboard button")
    _check_action_types(button)
    _check_values(button)


def check_style(button: JsonObject, *, kind: str) -> None:
    """Check the colour that a button of any keyboard asks for. Raises BotApiError."""
    if "style" in button and button["style"] not in _STYLES:
        reason = f"can't parse {kind}: invalid button style specified"
        raise bad_request(reason)


def _check_action_types(button: JsonObject) -> None:
    for name in _ACTIONS.keys() & button.keys():
        if not isinstance(button[name], _ACTIONS[name]):
            wanted = "String" if _ACTIONS[name] is str else "Object"
            reason = f'Field "{name}" must be of type {wanted}'
            raise _unparsable(reason)
    if not _ACTIONS.keys() & button.keys():
        raise _unparsable("Text buttons are unallowed in the inline keyboard")


def _check_values(button: JsonObject) -> None:
    if "callback_data" in button and not is_valid_callback_data(button["callback_data"]):
        raise bad_request("BUTTON_DATA_INVALID")
    if "url" in button:
        _check_url(button["url"])
    if "web_app" in button:
        _check_web_app(button["web_app"])
    copied = button.get("copy_text", {}).get("text", "")
    if "copy_text" in button and not (
        isinstance(copied, str) and 1 <= count_utf16_units(copied) <= _MAX_COPIED_UNITS
    ):
        raise bad_request("BUTTON_COPY_TEXT_INVALID")


def _check_url(url: str) -> None:
    """A link within Telegram, or a web address with a host that has a dot; the scheme may be left out."""
    scheme = _SCHEME.match(url)
    if scheme is not None and scheme.group().lower() in {"tg://", "ton://"}:
        return
    if scheme is not None and scheme.group().lower() not in {"http://", "https://"}:
        raise _invalid_url(url, "Unsupported URL protocol")
    try:
        host = urlsplit(url if scheme is not None else f"http://{url}").hostname or ""
    except ValueError:
        raise _invalid_url(url, "Wrong HTTP URL") from None
    if not host:
        raise _invalid_url(url, "URL host is empty")
    if "." not in host.strip(".") and ":" not in host:
        raise _invalid_url(url, "Wrong HTTP URL")


def _check_web_app(web_app: JsonObject) -> None:
    url = web_app.get("url")
    if not isinstance(url, str) or not url.lower().startswith("https://"):
        reason = f"inline keyboard button Web App URL '{url}' is invalid: Only HTTPS links are allowed"
        raise bad_request(reason)
    _check_url(url)


def _invalid_url(url: str, why: str) -> Exception:
    return bad_request(f"inline keyboard button URL '{url}' is invalid: {why}")


def _unparsable(why: str) -> Exception:
    return bad_request(f"can't parse inline keyboard button: {why}")
