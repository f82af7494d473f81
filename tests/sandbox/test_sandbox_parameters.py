"""Parameters reach a method whichever way a client sends them."""

import json
from typing import Any

import pytest
import requests

from nekonymous_site.sandbox.people import Person
from tests.sandbox.sandbox_process import RunningSandbox

KEYBOARD = {"inline_keyboard": [[{"text": "پاسخ", "callback_data": "r:1"}]]}
ENTITIES = [{"type": "bold", "offset": 0, "length": 4}]


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person("سارا")
    sara.says("/start")
    return sara


def _as_text(parameters: dict[str, Any]) -> dict[str, str]:
    """Every value as the text that clients without JSON send: nested JSON, numbers and flags too."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in parameters.items()
    }


def _in_form(form: str, parameters: dict[str, Any]) -> dict[str, Any]:
    as_text = _as_text(parameters)
    return {
        "json": {"json": parameters},
        "json of texts": {"json": as_text},
        "urlencoded": {"data": as_text},
        "multipart": {"files": {name: (None, value) for name, value in as_text.items()}},
        "query": {"params": as_text},
        "query and form": {
            "params": dict(list(as_text.items())[::2]),
            "data": dict(list(as_text.items())[1::2]),
        },
    }[form]


# A call of each method that has parameters worth the name; what comes in the way is put in before it is made.
CALLS: dict[str, dict[str, Any]] = {
    "sendMessage": {
        "text": "سلام همه 1",
        "entities": ENTITIES,
        "reply_markup": KEYBOARD,
        "protect_content": True,
        "disable_notification": False,
        "link_preview_options": {"is_disabled": True},
        "reply_parameters": {"message_id": 1, "quote": "start", "quote_position": 1},
        "message_effect_id": "5104841245755180586",
    },
    "sendPhoto": {
        "photo": "FILE",
        "caption": "12",
        "caption_entities": [{"type": "bold", "offset": 0, "length": 1}],
        "has_spoiler": True,
        "show_caption_above_media": True,
    },
    "sendMediaGroup": {
        "media": [
            {"type": "photo", "media": "FILE", "caption": "سلام", "caption_entities": ENTITIES},
            {"type": "photo", "media": "FILE", "has_spoiler": True},
        ],
        "reply_parameters": {"message_id": 99, "allow_sending_without_reply": True},
    },
    "editMessageText": {"message_id": 3, "text": "سلام", "entities": ENTITIES, "reply_markup": KEYBOARD},
    "editMessageReplyMarkup": {"message_id": 3, "reply_markup": KEYBOARD},
    "deleteMessage": {"message_id": 3},
    "deleteMessages": {"message_ids": [1, 2]},
    "setMessageReaction": {"message_id": 1, "reaction": [{"type": "emoji", "emoji": "👍"}], "is_big": True},
    "sendChatAction": {"action": "typing"},
    "setMyCommands": {
        "commands": [{"command": "inbox", "description": "صندوق"}],
        "scope": {"type": "chat", "chat_id": "CHAT"},
        "language_code": "fa",
    },
    "setMyDescription": {"description": "سلام", "language_code": "fa"},
    "getChat": {},
    "setWebhook": {
        "url": "http://127.0.0.1:9/hook",
        "allowed_updates": ["message"],
        "max_connections": 7,
        "drop_pending_updates": True,
    },
}
FORMS = ("json", "json of texts", "urlencoded", "multipart", "query", "query and form")
MADE_UP_ANEW = ("date", "edit_date", "media_group_id")


def _without_what_is_new_each_time(result: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(result, list):
        return [_without_what_is_new_each_time(one) for one in result]
    if isinstance(result, dict):
        return {
            name: _without_what_is_new_each_time(value)
            for name, value in result.items()
            if name not in MADE_UP_ANEW and name not in {"chat", "from", "photo", "id"}
        }
    return result


def _call_in_new_chat(sandbox: RunningSandbox, method: str, form: str) -> tuple[int, Any]:
    """Make one call in a chat that begins with a text, a photo, and a text of the bot's."""
    person = sandbox.people.person("سارا")
    person.says("/start")
    person.sends("photo")
    sandbox.call("sendMessage", chat_id=person.id, text="mine")
    given = json.dumps(CALLS[method]).replace("FILE", person.sees()[1].file_id or "")
    parameters = {"chat_id": person.id} | json.loads(given.replace('"CHAT"', str(person.id)))
    response = sandbox.post(method, **_in_form(form, parameters))
    return response.status_code, _without_what_is_new_each_time(response.json())


@pytest.mark.parametrize("form", FORMS[1:])
@pytest.mark.parametrize("method", CALLS)
def test_every_form_of_a_call_gets_the_same_answer(sandbox: RunningSandbox, method: str, form: str) -> None:
    in_form = _call_in_new_chat(sandbox, method, form)
    assert in_form == _call_in_new_chat(sandbox, method, "json")
    assert (in_form[0], in_form[1]["ok"]) == (200, True)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_call_that_fails_fails_the_same(
    sandbox: RunningSandbox, sara: Person, form: str
) -> None:
    entities = [{"type": "bold", "offset": 0, "length": 99}]
    call = _in_form(form, {"chat_id": sara.id, "text": "hi", "entities": entities})
    response = sandbox.post("sendMessage", **call)
    assert response.status_code == 400
    assert response.json()["description"].startswith("Bad Request: entity beginning at UTF-16 offset 0 ends")


def test_a_get_request_and_another_spelling_of_the_method_work(sandbox: RunningSandbox) -> None:
    response = requests.get(
        f"{sandbox.base_url}/bot{sandbox.token}/GETME", timeout=5, headers={"Connection": "close"}
    )
    assert response.json()["result"]["username"] == "nekonymous_sandbox_bot"


def test_a_flag_given_as_the_text_false_is_no(sandbox: RunningSandbox, sara: Person) -> None:
    sent = sandbox.post("sendMessage", data={"chat_id": sara.id, "text": "x", "protect_content": "False"})
    assert "has_protected_content" not in sent.json()["result"]


@pytest.mark.parametrize(
    ("body", "description"),
    [
        (b"{", "Bad Request: can't parse request body as JSON"),
        (b"[1]", "Bad Request: request body must be a JSON object"),
        (b'{"reply_markup": "{"}', "Bad Request: can't parse reply markup JSON object"),
    ],
)
def test_an_unreadable_body_is_refused(sandbox: RunningSandbox, body: bytes, description: str) -> None:
    response = sandbox.post("sendMessage", data=body, headers={"Content-Type": "application/json"})
    assert (response.status_code, response.json()["description"]) == (400, description)


@pytest.mark.parametrize("chat_id", ["--5", "@somebody", "9" * 5000, [], True])
def test_what_is_no_chat_id_finds_no_chat(sandbox: RunningSandbox, chat_id: object) -> None:
    refused = sandbox.refused("sendMessage", chat_id=chat_id, text="x")
    assert refused == (400, "Bad Request: chat not found")


def test_half_a_character_is_no_text(sandbox: RunningSandbox, sara: Person) -> None:
    refused = sandbox.refused("sendMessage", chat_id=sara.id, text="\ud83d")
    assert refused == (400, "Bad Request: strings must be encoded in UTF-8")


def test_a_wrong_token_is_unauthorized_and_no_call_of_the_bot(sandbox: RunningSandbox) -> None:
    response = requests.post(
        f"{sandbox.base_url}/bot7000000001:wrong/getMe", timeout=5, headers={"Connection": "close"}
    )
    assert response.status_code == 401
    assert response.json() == {"ok": False, "error_code": 401, "description": "Unauthorized"}
    assert sandbox.people.calls("getMe") == []


def test_an_unknown_method_is_not_found(sandbox: RunningSandbox) -> None:
    assert sandbox.refused("sendTelepathy") == (404, "Not Found: method not found")
