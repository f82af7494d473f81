"""Editing captions, deleting, quoting, effects, protection."""

import pytest

from nekonymous_site.sandbox.people import Person, SandboxRefused
from tests.sandbox.sandbox_process import RunningSandbox

NOT_SPECIFIED = (400, "Bad Request: message identifier is not specified")
NO_CAPTION = (400, "Bad Request: there is no caption in the message to edit")
KEYBOARD = {"inline_keyboard": [[{"text": "x", "callback_data": "a"}]]}
FIRE = "5104841245755180586"


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person()
    sara.says("one two one")
    return sara


def _photo_of_bot(sandbox: RunningSandbox, sara: Person, **options: object) -> dict[str, object]:
    sara.sends("photo")
    photo = sara.sees()[-1].file_id
    sent = sandbox.call("sendPhoto", chat_id=sara.id, photo=photo, **options)
    return {"chat_id": sara.id, "message_id": sent["message_id"]}


def test_a_caption_is_edited_and_taken_away(sandbox: RunningSandbox, sara: Person) -> None:
    where = _photo_of_bot(sandbox, sara, caption="one", reply_markup=KEYBOARD)
    bold = [{"type": "bold", "offset": 0, "length": 3}]
    above = {"caption_entities": bold, "show_caption_above_media": True}
    edited = sandbox.call("editMessageCaption", **where, caption="two", **above)
    assert (edited["caption"], edited["caption_entities"]) == ("two", bold)
    seen = sara.sees()[-1]
    assert (seen.caption, seen.show_caption_above_media, seen.buttons) == ("two", True, ())
    assert seen.file_id is not None
    code, description = sandbox.refused("editMessageCaption", **where, caption="two", **above)
    assert (code, description[:38]) == (400, "Bad Request: message is not modified: ")
    assert "caption" not in sandbox.call("editMessageCaption", **where)


def test_a_caption_has_its_own_limit_and_a_text_has_none(sandbox: RunningSandbox, sara: Person) -> None:
    where = _photo_of_bot(sandbox, sara)
    sandbox.call("editMessageCaption", **where, caption="😀" * 512)
    too_long = (400, "Bad Request: message caption is too long")
    assert sandbox.refused("editMessageCaption", **where, caption="😀" * 512 + "x") == too_long
    text = sandbox.call("sendMessage", chat_id=sara.id, text="x")["message_id"]
    assert sandbox.refused("editMessageCaption", chat_id=sara.id, message_id=text, caption="x") == NO_CAPTION
    no_text = (400, "Bad Request: there is no text in the message to edit")
    assert sandbox.refused("editMessageText", **where, text="x") == no_text


@pytest.mark.parametrize("message_id", [None, 0, -1, "abc", ""])
@pytest.mark.parametrize(
    "method", ["editMessageText", "editMessageCaption", "editMessageReplyMarkup", "deleteMessage"]
)
def test_what_is_no_message_id_is_refused(
    sandbox: RunningSandbox, sara: Person, method: str, message_id: object
) -> None:
    call = {"chat_id": sara.id, "message_id": message_id, "text": "x"}
    assert sandbox.refused(method, **call) == NOT_SPECIFIED


def test_a_bot_deletes_its_own_and_others_messages_of_a_private_chat(
    sandbox: RunningSandbox, sara: Person
) -> None:
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="mine")["message_id"]
    for message_id in (1, sent):
        assert sandbox.call("deleteMessage", chat_id=sara.id, message_id=message_id) is True
    assert sara.sees() == ()
    gone = sandbox.refused("deleteMessage", chat_id=sara.id, message_id=sent)
    assert gone == (400, "Bad Request: message to delete not found")


def test_in_a_group_a_bot_deletes_only_what_it_wrote(sandbox: RunningSandbox, sara: Person) -> None:
    group = sandbox.people.group()
    group.hears(sara, "hers")
    own = sandbox.call("sendMessage", chat_id=group.id, text="mine")["message_id"]
    refused = sandbox.refused("deleteMessage", chat_id=group.id, message_id=1)
    assert refused == (400, "Bad Request: message can't be deleted for everyone")
    sandbox.call("deleteMessages", chat_id=group.id, message_ids=[1, own])
    assert [one.text for one in group.sees()] == ["hers"]


def test_many_are_deleted_and_those_that_are_gone_passed_over(sandbox: RunningSandbox, sara: Person) -> None:
    for number in range(3):
        sandbox.call("sendMessage", chat_id=sara.id, text=str(number))
    assert sandbox.call("deleteMessages", chat_id=sara.id, message_ids=["2", 4, 99]) is True
    assert [one.message_id for one in sara.sees()] == [1, 3]


@pytest.mark.parametrize(
    ("message_ids", "reason"),
    [
        ([], "message identifiers are not specified"),
        (list(range(1, 102)), "too many message identifiers specified"),
        ([1, "x"], "invalid message identifier specified"),
        ({"1": 2}, "expected an Array of message ids"),
    ],
)
def test_lists_of_ids_that_make_no_sense_are_refused(
    sandbox: RunningSandbox, sara: Person, message_ids: object, reason: str
) -> None:
    refused = sandbox.refused("deleteMessages", chat_id=sara.id, message_ids=message_ids)
    assert refused == (400, f"Bad Request: {reason}")


def test_a_reply_may_quote_the_nearest_place(sandbox: RunningSandbox, sara: Person) -> None:
    reply = {"message_id": 1, "quote": "one", "quote_position": 7}
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="this?", reply_parameters=reply)
    assert sent["quote"] == {"text": "one", "position": 8, "is_manual": True}
    reply = {"message_id": 1, "quote": "two", "quote_entities": [{"type": "bold", "offset": 0, "length": 3}]}
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="this?", reply_parameters=reply)
    assert (sent["quote"]["position"], len(sent["quote"]["entities"])) == (4, 1)


@pytest.mark.parametrize("quote", ["three", "One", "x" * 1025])
def test_a_quote_that_is_not_in_the_message_is_refused(
    sandbox: RunningSandbox, sara: Person, quote: str
) -> None:
    reply = {"message_id": 1, "quote": quote, "allow_sending_without_reply": True}
    refused = sandbox.refused("sendMessage", chat_id=sara.id, text="x", reply_parameters=reply)
    assert refused == (400, "Bad Request: QUOTE_TEXT_INVALID")


def test_the_older_reply_parameters_work_too(sandbox: RunningSandbox, sara: Person) -> None:
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="x", reply_to_message_id=1)
    assert sent["reply_to_message"]["message_id"] == 1
    alone = {"reply_to_message_id": 99, "allow_sending_without_reply": True}
    assert "reply_to_message" not in sandbox.call("sendMessage", chat_id=sara.id, text="x", **alone)


def test_an_effect_is_for_private_chats(sandbox: RunningSandbox, sara: Person) -> None:
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="x", message_effect_id=FIRE)
    assert sent["effect_id"] == FIRE
    invalid = (400, "Bad Request: EFFECT_ID_INVALID")
    assert sandbox.refused("sendMessage", chat_id=sara.id, text="x", message_effect_id="7") == invalid
    group = sandbox.people.group()
    assert sandbox.refused("sendMessage", chat_id=group.id, text="x", message_effect_id=FIRE) == invalid


@pytest.mark.parametrize("preview", [{"is_disabled": "yes"}, {"url": 5}])
def test_options_of_a_preview_have_their_types(
    sandbox: RunningSandbox, sara: Person, preview: dict[str, object]
) -> None:
    code, description = sandbox.refused(
        "sendMessage", chat_id=sara.id, text="x", link_preview_options=preview
    )
    assert code == 400
    assert "must be of type" in description


def test_what_is_protected_cannot_be_forwarded(sandbox: RunningSandbox, sara: Person) -> None:
    open_one = sandbox.call("sendMessage", chat_id=sara.id, text="open", reply_markup=KEYBOARD)
    protected = sandbox.call("sendMessage", chat_id=sara.id, text="closed", protect_content=True)
    forwarded = sara.forwards_message(open_one["message_id"])
    message = sandbox.call("getUpdates")[-1]["message"]
    assert message["message_id"] == forwarded.message_id
    assert (message["text"], message["from"]["id"]) == ("open", sara.id)
    assert message["forward_origin"]["sender_user"]["is_bot"] is True
    assert "reply_markup" not in message
    with pytest.raises(SandboxRefused, match="content is protected") as refusal:
        sara.forwards_message(protected["message_id"])
    assert refusal.value.status == 409
    with pytest.raises(SandboxRefused, match="no such message"):
        sara.forwards_message(99)
