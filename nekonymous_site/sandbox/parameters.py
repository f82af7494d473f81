"""Parameters of a Bot API call, whichever way they came."""

import json
import re

from aiohttp import web

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.json_types import JsonObject

# Clients send these either as JSON or as text that holds JSON.
_STRUCTURED = frozenset(
    {
        "allowed_updates",
        "caption_entities",
        "commands",
        "entities",
        "link_preview_options",
        "media",
        "message_ids",
        "reaction",
        "reply_markup",
        "reply_parameters",
        "scope",
    }
)
_CHAT_NUMBER = re.compile(r"-?[0-9]{1,19}", re.ASCII)
_FALSE_TEXTS = frozenset({"", "0", "false", "no", "off", "none", "null"})


class Parameters:
    """Typed access to a call's parameters; nested values are real JSON by now."""

    def __init__(self, values: JsonObject) -> None:
        self.values = {name: _decode(name, value) for name, value in values.items() if value is not None}

    def text(self, name: str) -> str:
        """A text, empty when not given. Raises BotApiError for text that is no Unicode."""
        value = self.values.get(name, "")
        if not isinstance(value, str):
            return json.dumps(value)
        try:
            value.encode()
        except UnicodeEncodeError:
            raise bad_request("strings must be encoded in UTF-8") from None
        return value

    def integer(self, name: str) -> int | None:
        """A whole number given as a number or as text, None when absent or no number."""
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | str):
            return None
        try:
            return int(value)
        except ValueError:
            return None

    def flag(self, name: str) -> bool:
        """A yes or no given as JSON or as text; absent means no."""
        value = self.values.get(name, False)
        return value.lower() not in _FALSE_TEXTS if isinstance(value, str) else bool(value)

    def json_object(self, name: str) -> JsonObject | None:
        """A JSON object, None when absent. Raises BotApiError for any other JSON."""
        value = self.values.get(name)
        if value is None or isinstance(value, dict):
            return value
        reason = f"object expected as {name.replace('_', ' ')}"
        raise bad_request(reason)

    def json_list(self, name: str) -> list[object] | None:
        """A JSON array, None when absent. Raises BotApiError for any other JSON."""
        value = self.values.get(name)
        if value is None or isinstance(value, list):
            return value
        reason = f"expected an Array of {name.replace('_', ' ')}"
        raise bad_request(reason)


async def read_parameters(request: web.Request) -> Parameters:
    """Read query, form or JSON body; the body wins over the query. Raises BotApiError if unreadable."""
    values: JsonObject = dict(request.query)
    if request.method == "POST":
        values.update(await _read_body(request))
    return Parameters(values)


async def _read_body(request: web.Request) -> JsonObject:
    if request.content_type == "application/json":
        return _parse_json_object(await request.read())
    try:
        form = await request.post()
    except ValueError:
        raise bad_request("can't parse request body as a form") from None
    return {name: value for name, value in form.items() if isinstance(value, str)}


def _parse_json_object(body: bytes) -> JsonObject:
    if not body.strip():
        return {}
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        raise bad_request("can't parse request body as JSON") from None
    if not isinstance(parsed, dict):
        raise bad_request("request body must be a JSON object")
    return parsed


def _decode(name: str, value: object) -> object:
    if name in _STRUCTURED and isinstance(value, str):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            reason = f"can't parse {name.replace('_', ' ')} JSON object"
            raise bad_request(reason) from None
    if name == "chat_id" and isinstance(value, str) and _CHAT_NUMBER.fullmatch(value):
        return int(value)
    return value
