"""Sending, editing and answering, with the real server's refusals."""

import pytest

from nekonymous_site.sandbox.people import Person
from tests.sandbox.sandbox_process import RunningSandbox

QUERY_TOO_OLD = "Bad Request: query is too old and response timeout expired or query ID is invalid"
NOT_MODIFIED = (
    "Bad Request: message is not modified: specified new message content and reply markup are exactly "
    "the same as a current content and reply markup of the message"
)


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person("سارا", username="sara_example")
    sara.says("/start")
    return sara


def _keyboard(data: str) -> dict[str, object]:
    return {"inline_keyboard": [[{"text": "x", "callback_data": data}]]}


def test_a_sent_message_has_the_shape_of_the_real_one(sandbox: RunningSandbox, sara: Person) -> None:
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="see https://t.me/some_bot?start=abc now")
    assert isinstance(sent.pop("date"), int)
    assert sent == {
        "message_id": 2,
        "from": {
            "id": 7000000001,
            "is_bot": True,
            "first_name": "Nekonymous (sandbox)",
            "username": "nekonymous_sandbox_bot",
        },
        "chat": {"id": sara.id, "first_name": "سارا", "username": "sara_example", "type": "private"},
        "text": "see https://t.me/some_bot?start=abc now",
        "entities": [{"type": "url", "offset": 4, "length": 31}],
    }


@pytest.mark.parametrize("letter", ["س", "😀"])
def test_texts_are_measured_in_utf16_units(sandbox: RunningSandbox, sara: Person, letter: str) -> None:
    units = len(letter.encode("utf-16-le")) // 2
    sandbox.call("sendMessage", chat_id=sara.id, text=letter * (4096 // units))
    refused = sandbox.refused("sendMessage", chat_id=sara.id, text=letter * (4096 // units) + "x")
    assert refused == (400, "Bad Request: message is too long")


def test_an_empty_text_is_refused(sandbox: RunningSandbox, sara: Person) -> None:
    empty = (400, "Bad Request: message text is empty")
    assert sandbox.refused("sendMessage", chat_id=sara.id, text="") == empty
    assert sandbox.refused("sendMessage", chat_id=sara.id) == empty


@pytest.mark.parametrize(
    ("offset", "length", "reason"),
    [
        (9, 1, "begins after the end of the text at UTF-16 offset 9"),
        (1, 9, "beginning at UTF-16 offset 1 ends after the end of the text at UTF-16 offset 10"),
        (1, 2, "begins in a middle of a UTF-16 symbol at UTF-16 offset 1"),
        (0, 1, "ends in a middle of a UTF-16 symbol at UTF-16 offset 1"),
    ],
)
def test_entities_must_lie_in_the_text(
    sandbox: RunningSandbox, sara: Person, offset: int, length: int, reason: str
) -> None:
    entities = [{"type": "bold", "offset": offset, "length": length}]
    refused = sandbox.refused("sendMessage", chat_id=sara.id, text="😀 hi", entities=entities)
    assert refused == (400, f"Bad Request: entity {reason}")


def test_an_entity_of_an_unknown_type_is_refused(sandbox: RunningSandbox, sara: Person) -> None:
    entities = [{"type": "sparkle", "offset": 0, "length": 1}]
    code, description = sandbox.refused("sendMessage", chat_id=sara.id, text="hi", entities=entities)
    assert code == 400
    assert "unsupported type" in description


@pytest.mark.parametrize("data", ["", "ب" * 33, "x" * 65])
def test_callback_data_is_one_to_64_bytes(sandbox: RunningSandbox, sara: Person, data: str) -> None:
    sandbox.call("sendMessage", chat_id=sara.id, text="fits", reply_markup=_keyboard("ب" * 32))
    refused = sandbox.refused("sendMessage", chat_id=sara.id, text="x", reply_markup=_keyboard(data))
    assert refused == (400, "Bad Request: BUTTON_DATA_INVALID")


def test_too_many_buttons_are_refused(sandbox: RunningSandbox, sara: Person) -> None:
    markup = {"inline_keyboard": [[{"text": "x", "callback_data": "1"}]] * 101}
    refused = sandbox.refused("sendMessage", chat_id=sara.id, text="x", reply_markup=markup)
    assert refused == (400, "Bad Request: reply markup is too long")


def test_a_button_that_does_nothing_is_refused(sandbox: RunningSandbox, sara: Person) -> None:
    markup = {"inline_keyboard": [[{"text": "x"}]]}
    code, description = sandbox.refused("sendMessage", chat_id=sara.id, text="x", reply_markup=markup)
    assert code == 400
    assert "unallowed in the inline keyboard" in description


def test_only_people_who_have_written_can_be_written_to(sandbox: RunningSandbox) -> None:
    stranger = sandbox.people.person("Silent")
    not_found = (400, "Bad Request: chat not found")
    assert sandbox.refused("sendMessage", chat_id=stranger.id, text="x") == not_found
    assert sandbox.refused("sendMessage", chat_id=1, text="x") == not_found
    assert sandbox.refused("sendMessage", text="x") == (400, "Bad Request: chat_id is empty")


def test_whoever_blocked_the_bot_gets_nothing_until_unblocking(sandbox: RunningSandbox, sara: Person) -> None:
    sara.blocks_bot()
    refused = sandbox.refused("sendMessage", chat_id=sara.id, text="x")
    assert refused == (403, "Forbidden: bot was blocked by the user")
    sara.unblocks_bot()
    sandbox.call("sendMessage", chat_id=sara.id, text="back")
    assert sara.sees()[-1].text == "back"


def test_a_reply_shows_its_message_unless_that_is_gone(sandbox: RunningSandbox, sara: Person) -> None:
    reply = sandbox.call("sendMessage", chat_id=sara.id, text="x", reply_parameters={"message_id": 1})
    assert reply["reply_to_message"]["text"] == "/start"
    refused = sandbox.refused("sendMessage", chat_id=sara.id, text="x", reply_parameters={"message_id": 99})
    assert refused == (400, "Bad Request: message to be replied not found")
    alone = sandbox.call(
        "sendMessage",
        chat_id=sara.id,
        text="x",
        reply_parameters={"message_id": 99, "allow_sending_without_reply": True},
    )
    assert "reply_to_message" not in alone


def test_options_of_a_message_are_seen(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.call(
        "sendMessage",
        chat_id=sara.id,
        text="quiet",
        disable_notification=True,
        protect_content=True,
        link_preview_options={"is_disabled": True},
        reply_markup={"keyboard": [["my link", {"text": "inbox"}]], "resize_keyboard": True},
    )
    seen = sara.sees()[-1]
    assert seen.is_silent
    assert seen.is_protected
    assert seen.raw["link_preview_options"] == {"is_disabled": True}
    assert seen.reply_keyboard == ("my link", "inbox")


def test_an_edit_is_seen_and_takes_the_buttons_unless_given_again(
    sandbox: RunningSandbox, sara: Person
) -> None:
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="1 of 2", reply_markup=_keyboard("a"))
    where = {"chat_id": sara.id, "message_id": sent["message_id"]}
    edited = sandbox.call("editMessageText", **where, text="2 of 2", reply_markup=_keyboard("b"))
    assert edited["edit_date"] >= edited["date"]
    assert sara.sees()[-1].button("b").callback_data == "b"
    sandbox.call("editMessageText", **where, text="done")
    seen = sara.sees()[-1]
    assert (seen.text, seen.buttons, seen.is_edited) == ("done", (), True)


def test_buttons_alone_can_be_changed(sandbox: RunningSandbox, sara: Person) -> None:
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="x", reply_markup=_keyboard("a"))
    where = {"chat_id": sara.id, "message_id": sent["message_id"]}
    same = sandbox.refused("editMessageReplyMarkup", **where, reply_markup=_keyboard("a"))
    assert same == (400, NOT_MODIFIED)
    sandbox.call("editMessageReplyMarkup", **where)
    assert sara.sees()[-1].buttons == ()


def test_edits_that_change_nothing_or_hit_nothing_are_refused(sandbox: RunningSandbox, sara: Person) -> None:
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="same")
    where = {"chat_id": sara.id, "message_id": sent["message_id"]}
    assert sandbox.refused("editMessageText", **where, text="same") == (400, NOT_MODIFIED)
    gone = sandbox.refused("editMessageText", chat_id=sara.id, message_id=999, text="x")
    assert gone == (400, "Bad Request: message to edit not found")
    hers = sandbox.refused("editMessageText", chat_id=sara.id, message_id=1, text="x")
    assert hers == (400, "Bad Request: message can't be edited")


def test_a_tap_is_answered_once(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.call("sendMessage", chat_id=sara.id, text="x", reply_markup=_keyboard("r:1"))
    tap = sara.taps(sara.sees()[-1], "r:")
    answer = {"callback_query_id": tap.callback_query_id, "text": "شنیدم", "show_alert": True}
    assert sandbox.call("answerCallbackQuery", **answer) is True
    toast = sara.awaits_toast(tap)
    assert (toast.text, toast.show_alert, toast.callback_data) == ("شنیدم", True, "r:1")
    assert sandbox.refused("answerCallbackQuery", **answer) == (400, QUERY_TOO_OLD)


def test_an_unknown_tap_cannot_be_answered(sandbox: RunningSandbox) -> None:
    assert sandbox.refused("answerCallbackQuery", callback_query_id="1") == (400, QUERY_TOO_OLD)


def test_a_reaction_is_seen_and_can_be_taken_away(sandbox: RunningSandbox, sara: Person) -> None:
    dove = [{"type": "emoji", "emoji": "🕊"}]
    where = {"chat_id": sara.id, "message_id": 1}
    sandbox.call("setMessageReaction", **where, reaction=dove)
    assert sara.sees()[0].reactions == ("🕊",)
    sandbox.call("setMessageReaction", **where, reaction=[])
    assert sara.sees()[0].reactions == ()
    refused = sandbox.refused("setMessageReaction", **where, reaction=[{"type": "emoji", "emoji": "🧿"}])
    assert refused == (400, "Bad Request: REACTION_INVALID")


def test_commands_are_kept_by_language(sandbox: RunningSandbox) -> None:
    persian = [{"command": "inbox", "description": "صندوق"}]
    sandbox.call("setMyCommands", commands=persian, language_code="fa")
    assert sandbox.call("getMyCommands", language_code="fa") == persian
    assert sandbox.call("getMyCommands", language_code="en") == []
    refused = sandbox.refused("setMyCommands", commands=[{"command": "صندوق", "description": "x"}])
    assert refused == (400, "Bad Request: BOT_COMMAND_INVALID")
