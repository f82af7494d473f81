"""What the server refuses in a button."""

import pytest

from nekonymous_site.sandbox.people import Person
from tests.sandbox.sandbox_process import RunningSandbox


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person()
    sara.says("/start")
    return sara


def _markup(**button: object) -> dict[str, object]:
    return {"inline_keyboard": [[{"text": "x", **button}]]}


@pytest.mark.parametrize(
    "button",
    [
        {"callback_data": "x", "style": "danger"},
        {"callback_data": "x", "style": "success"},
        {"callback_data": "x", "style": "primary"},
        {"url": "https://example.com/path?query=1"},
        {"url": "http://127.0.0.1:8000/"},
        {"url": "t.me/some_bot"},
        {"url": "tg://resolve?domain=some_bot"},
        {"copy_text": {"text": "😀" * 128}},
        {"web_app": {"url": "https://example.com/app"}},
        {"switch_inline_query": ""},
        {"switch_inline_query_chosen_chat": {"query": "", "allow_user_chats": True}},
    ],
)
def test_a_button_that_can_be_is_shown(
    sandbox: RunningSandbox, sara: Person, button: dict[str, object]
) -> None:
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="x", reply_markup=_markup(**button))
    assert sent["reply_markup"] == _markup(**button)


UNPARSABLE = "can't parse inline keyboard button: "
WRONG_URL = "inline keyboard button URL '{}' is invalid: {}"


@pytest.mark.parametrize(
    ("button", "reason"),
    [
        ({"callback_data": "x", "style": "pink"}, UNPARSABLE + "invalid button style specified"),
        ({"callback_data": 5}, UNPARSABLE + 'Field "callback_data" must be of type String'),
        ({"url": None}, UNPARSABLE + 'Field "url" must be of type String'),
        ({"copy_text": "x"}, UNPARSABLE + 'Field "copy_text" must be of type Object'),
        ({}, UNPARSABLE + "Text buttons are unallowed in the inline keyboard"),
        ({"text": 5, "callback_data": "x"}, UNPARSABLE + 'Field "text" must be of type String'),
        ({"text": " ", "callback_data": "x"}, "inline keyboard button text must be non-empty"),
        ({"copy_text": {"text": ""}}, "BUTTON_COPY_TEXT_INVALID"),
        ({"copy_text": {"text": "😀" * 128 + "x"}}, "BUTTON_COPY_TEXT_INVALID"),
        ({"copy_text": {}}, "BUTTON_COPY_TEXT_INVALID"),
        ({"url": "http://localhost/x"}, WRONG_URL.format("http://localhost/x", "Wrong HTTP URL")),
        ({"url": "ftp://example.com"}, WRONG_URL.format("ftp://example.com", "Unsupported URL protocol")),
        ({"url": "https://"}, WRONG_URL.format("https://", "URL host is empty")),
        ({"url": ""}, WRONG_URL.format("", "URL host is empty")),
        ({"url": "http://[x"}, WRONG_URL.format("http://[x", "Wrong HTTP URL")),
        (
            {"web_app": {"url": "http://example.com"}},
            WRONG_URL.format("http://example.com", "Only HTTPS links are allowed").replace(
                "URL", "Web App URL", 1
            ),
        ),
    ],
)
def test_a_button_that_cannot_be_is_refused_in_sends_and_edits(
    sandbox: RunningSandbox, sara: Person, button: dict[str, object], reason: str
) -> None:
    refused = (400, f"Bad Request: {reason}")
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="x")
    where = {"chat_id": sara.id, "message_id": sent["message_id"]}
    assert (
        sandbox.refused("sendMessage", chat_id=sara.id, text="x", reply_markup=_markup(**button)) == refused
    )
    assert sandbox.refused("editMessageReplyMarkup", **where, reply_markup=_markup(**button)) == refused
    assert len(sara.sees()) == 2


def test_a_button_must_be_an_object_with_a_label(sandbox: RunningSandbox, sara: Person) -> None:
    for markup, reason in (
        ({"inline_keyboard": [["x"]]}, UNPARSABLE + "expected an Object"),
        ({"inline_keyboard": [[{"callback_data": "x"}]]}, UNPARSABLE + 'Can\'t find field "text"'),
        (
            {"keyboard": [[{"text": "x", "style": "pink"}]]},
            "can't parse keyboard button: invalid button style",
        ),
    ):
        code, description = sandbox.refused("sendMessage", chat_id=sara.id, text="x", reply_markup=markup)
        assert code == 400
        assert description.startswith(f"Bad Request: {reason}")


def test_a_keyboard_has_at_most_a_hundred_buttons_and_ten_kilobytes(
    sandbox: RunningSandbox, sara: Person
) -> None:
    too_long = (400, "Bad Request: reply markup is too long")
    button = {"text": "x", "callback_data": "x"}
    for rows, fits in (
        ([[button] * 4] * 25, True),
        ([[button] * 4] * 25 + [[button]], False),
        ([[{"text": "س" * 200, "callback_data": "x"}]] * 20, True),
        ([[{"text": "س" * 300, "callback_data": "x"}]] * 20, False),
    ):
        markup = {"inline_keyboard": rows}
        if fits:
            sandbox.call("sendMessage", chat_id=sara.id, text="x", reply_markup=markup)
        else:
            assert sandbox.refused("sendMessage", chat_id=sara.id, text="x", reply_markup=markup) == too_long
