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


def _forms_of(person_id: int) -> dict[str, dict[str, Any]]:
    plain = {"chat_id": person_id, "text": "سلام همه"}
    as_text = {
        "chat_id": str(person_id),
        "text": "سلام همه",
        "reply_markup": json.dumps(KEYBOARD),
        "entities": json.dumps(ENTITIES),
        "protect_content": "true",
    }
    return {
        "json": {"json": plain | {"reply_markup": KEYBOARD, "entities": ENTITIES, "protect_content": True}},
        "json of strings": {"json": as_text},
        "urlencoded": {"data": as_text},
        "multipart": {"files": {name: (None, value) for name, value in as_text.items()}},
        "query": {"params": as_text},
    }


@pytest.mark.parametrize("form", ["json", "json of strings", "urlencoded", "multipart", "query"])
def test_every_form_of_a_call_sends_the_same_message(
    sandbox: RunningSandbox, sara: Person, form: str
) -> None:
    response = sandbox.post("sendMessage", **_forms_of(sara.id)[form])
    assert response.status_code == 200, response.text
    sent = response.json()["result"]
    assert sent["text"] == "سلام همه"
    assert sent["entities"] == ENTITIES
    assert sent["reply_markup"] == KEYBOARD
    assert sent["has_protected_content"] is True
    assert sent["chat"]["id"] == sara.id


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
