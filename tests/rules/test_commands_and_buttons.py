"""What a text or a tap means: commands, the data of buttons and their forgeries, and the language."""

import string
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.selectors import Actor
from nekonymous_site.bot import callback_data, handler_registry, keyboards, menu_labels, outcome_texts
from nekonymous_site.bot.catalogues import languages
from nekonymous_site.bot.update_models import CallbackQuery, Keyboard, Message
from nekonymous_site.bot.visit import HandlerAnswer, Visit
from nekonymous_site.crypto.capabilities import Capability, WithdrawToken
from nekonymous_site.crypto.identifiers import ChatId

BASE64URL = string.ascii_letters + string.digits + "-_"
OF_A_TICKET = ("r:", "n:", "nx:", "b:", "u:", "i:")
TAPS = {
    "r:": "answer_reply_tap",
    "n:": "answer_nickname_tap",
    "nx:": "answer_nickname_removed",
    "b:": "answer_block",
    "u:": "answer_unblock",
    "i:": "answer_sender_mark",
    "w:": "answer_withdraw",
    "c:": "answer_write_again",
    "y:": "answer_send_anyway",
    "d:": "answer_throw_away",
    "k:": "answer_cancel_tap",
    "ib:": "answer_inbox_tap",
    "st:": "answer_settings_tap",
}


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Which handler was asked, and with which argument."""
    calls: list[tuple[str, str]] = []

    def listen(name: str) -> handler_registry.Handler:
        def handler(_visit: Visit, argument: object = "", **_tapped: object) -> HandlerAnswer:
            calls.append((name, argument if isinstance(argument, str) else "the message"))
            return HandlerAnswer()

        return cast("handler_registry.Handler", handler)

    for command in handler_registry.COMMANDS:
        monkeypatch.setitem(handler_registry.COMMANDS, command, listen(command))
    for name in ("answer_unknown_command", "answer_message", *TAPS.values()):
        monkeypatch.setattr(handler_registry, name, listen(name))
    return calls


def _visit() -> Visit:
    """Somebody without a draft; the handlers are replaced, so nobody looks at anything else."""
    actor = SimpleNamespace(draft=lambda: None, language="en")
    return Visit(pipeline=cast("Any", None), actor=cast("Actor", actor), chat_id=ChatId(5))


def _say(text: str | None) -> None:
    value = {"message_id": 1, "chat": {"id": 5, "type": "private"}, "text": text}
    handler_registry.answer_private_message(_visit(), Message.model_validate(value))


@pytest.mark.parametrize(
    ("text", "command", "argument"),
    [
        ("/start", "start", ""),
        ("/start abc_DEF-123", "start", "abc_DEF-123"),
        ("/START abc", "start", "abc"),
        ("/start@neko_bot abc", "start", "abc"),
        ("  /start   abc  ", "start", "abc"),
        ("/start\nabc\ndef", "start", "abc\ndef"),
        ("/start\u00a0abc", "start", "abc"),
        ("/link", "link", ""),
        ("/inbox now", "inbox", "now"),
        ("/cancel", "cancel", ""),
        ("/help", "help", ""),
        ("/settings", "settings", ""),
        ("/language", "language", ""),
        ("/privacy", "privacy", ""),
        ("/nothing_of_ours x", "answer_unknown_command", "x"),
        ("/starts", "answer_unknown_command", ""),
    ],
)
def test_a_command_navigates(heard: list[tuple[str, str]], text: str, command: str, argument: str) -> None:
    _say(text)
    assert heard == [(command, argument)]


@pytest.mark.parametrize(
    "text",
    [
        None,
        "start",
        "/",
        "//start",
        "/ start",
        "x /start",
        "/سلام",
        "/r/python is a place",
        "/start!",
        "/start@",
        "/" + "a" * 33,
        "\u200e/start",
    ],
)
def test_what_is_no_command_is_a_message(heard: list[tuple[str, str]], text: str | None) -> None:
    _say(text)
    assert heard == [("answer_message", "the message")]


@pytest.mark.parametrize("language", ["en", "fa"])
@pytest.mark.parametrize("entry", ["link", "inbox", "settings"])
@pytest.mark.parametrize("frame", ["{}", "  {}\n", "\u200f{}\u200e"])
def test_the_label_of_a_menu_button_navigates_in_any_language(
    heard: list[tuple[str, str]], language: str, entry: str, frame: str
) -> None:
    label = getattr(menu_labels, entry)(language)
    for written in (label, label.replace("\ufe0f", ""), label.replace(" ", "  ")):
        heard.clear()
        _say(frame.format(written))
        assert heard == [(entry, "")]


@pytest.mark.parametrize("text", ["My link", "پیوند من", "📬", "📬 My inbox please", "Settings"])
def test_words_that_only_look_like_a_label_are_a_message(heard: list[tuple[str, str]], text: str) -> None:
    _say(text)
    assert heard == [("answer_message", "the message")]


def _tap(data: str | None) -> HandlerAnswer:
    message = {"message_id": 7, "chat": {"id": 5, "type": "private"}}
    tap = CallbackQuery.model_validate({"id": "1", "from": {"id": 5}, "data": data, "message": message})
    return handler_registry.answer_tap(_visit(), tap)


@pytest.mark.parametrize(
    "data", [None, "", ":", "x", "R:" + "A" * 43, " r:", "rp:x", "rr:x", "r：x", "n\n:x"]
)
def test_a_button_that_is_none_of_ours_is_answered_as_dead(
    heard: list[tuple[str, str]], data: str | None
) -> None:
    assert _tap(data).toast == outcome_texts.button_dead("en")
    assert heard == []


def test_each_of_our_buttons_has_its_answer(heard: list[tuple[str, str]]) -> None:
    assert set(handler_registry.TAPS) == {*TAPS, callback_data.REPEAT_MARK}
    for prefix, name in TAPS.items():
        heard.clear()
        _tap(f"{prefix}what:ever")
        # Fetching what waits needs to know nothing more.
        assert heard == [(name, "" if prefix == callback_data.INBOX else f"{prefix}what:ever")]
    assert _tap(callback_data.REPEAT_MARK).toast == outcome_texts.repeat_explained("en")


def test_the_data_of_a_button_is_its_capability_and_fits() -> None:
    capability = Capability.new()
    for prefix in OF_A_TICKET:
        data = callback_data.with_capability(prefix, capability)
        assert len(data.encode()) <= 64
        assert callback_data.read_capability(data) == capability


def test_the_data_of_a_withdrawal_and_of_a_question_fits() -> None:
    token = WithdrawToken.new(Capability.new().lookup_nonce)
    data = callback_data.with_token(token)
    assert len(data.encode()) <= 64
    assert callback_data.read_token(data) == token
    for prefix in (callback_data.SEND_ANYWAY, callback_data.THROW_AWAY):
        data = callback_data.with_id(prefix, b"\x07" * 16)
        assert len(data.encode()) <= 64
        assert callback_data.read_id(data) == b"\x07" * 16


def _forgeries() -> dict[str, str]:
    text = Capability(lookup_nonce=b"\x01" * 16, key_seed=b"\x02" * 16).to_text()  # type: ignore[arg-type]
    # The last of 43 characters carries two bits that mean nothing: only one of four spellings counts.
    twin = text[:-1] + BASE64URL[BASE64URL.index(text[-1]) + 1]
    return {
        "nothing": "",
        "short": text[:-1],
        "long": text + "A",
        "padded": text + "=",
        "standard alphabet": "+/" + text[2:],
        "not canonical": twin,
        "twice the prefix": "r:" + text,
        "space before": " " + text,
        "line behind": text[:-1] + "\n",
        "all zero": "A" * 43,
        "no seed": text[:21] + "A" * 22,
        "other digits": "١" * 43,
    }


@pytest.mark.parametrize("name", _forgeries())
def test_a_forged_capability_is_none(name: str) -> None:
    forged = _forgeries()[name]
    assert callback_data.read_capability("r:" + forged) is None
    assert callback_data.read_token("w:" + forged) is None


@given(text=st.text(alphabet=st.characters(), max_size=60))
def test_no_text_breaks_the_reading_of_a_button(text: str) -> None:
    found = callback_data.read_capability("r:" + text)
    assert found is None or callback_data.with_capability("r:", found) == "r:" + text
    token = callback_data.read_token("w:" + text)
    assert token is None or callback_data.with_token(token) == "w:" + text
    identifier = callback_data.read_id("y:" + text)
    assert identifier is None or callback_data.with_id("y:", identifier) == "y:" + text


def _keyboard(*rows: list[dict[str, Any]]) -> Keyboard:
    return Keyboard.model_validate({"inline_keyboard": list(rows)})


def test_the_reply_gesture_finds_the_capability_behind_a_repeat_mark() -> None:
    capability = Capability.new()
    for possible_repeat, nickname in product((False, True), (None, "Somebody")):
        keyboard = keyboards.ticket_keyboard(
            capability, language="en", nickname=nickname, possible_repeat=possible_repeat
        )
        read = Keyboard.model_validate(keyboard)
        assert len(read.inline_keyboard[0]) == 1 + possible_repeat
        assert callback_data.find_reply_capability(read) == capability
        assert callback_data.is_marked_repeat(read) is possible_repeat


@pytest.mark.parametrize(
    "keyboard",
    [
        None,
        _keyboard(),
        _keyboard([]),
        _keyboard([{"text": "x", "url": "https://example.org"}]),
        _keyboard([{"text": "x", "callback_data": "ib:"}]),
        _keyboard([{"text": "x", "callback_data": "r:forged"}]),
    ],
)
def test_a_message_without_a_true_reply_button_gives_no_capability(keyboard: Keyboard | None) -> None:
    assert callback_data.find_reply_capability(keyboard) is None


def test_english_and_persian_are_spoken() -> None:
    assert {"en", "fa"} <= languages()
    assert all(len(language) <= 8 for language in languages()), "the column holds no more"
