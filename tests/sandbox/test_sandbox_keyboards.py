"""The keyboard in place of the letters, buttons that are not for the bot, and chats as lines of text."""

import pytest

from nekonymous_site.sandbox.people import ButtonMissing, Person
from tests.sandbox.sandbox_process import RunningSandbox

KEYBOARD = {"keyboard": [["پیوند من", {"text": "صندوق"}], ["تنظیمات"]], "resize_keyboard": True}


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person("سارا")
    sara.says("/start")
    return sara


def _plain(person: Person) -> list[str]:
    return person.transcript().replace("\u2068", "").replace("\u2069", "").splitlines()


def test_a_keyboard_stays_until_another_one_or_none_is_shown(sandbox: RunningSandbox, sara: Person) -> None:
    assert sara.keyboard() == ()
    sandbox.call("sendMessage", chat_id=sara.id, text="hello", reply_markup=KEYBOARD)
    assert sara.chat().keyboard == (("پیوند من", "صندوق"), ("تنظیمات",))
    inline = {"inline_keyboard": [[{"text": "x", "callback_data": "x"}]]}
    sandbox.call("sendMessage", chat_id=sara.id, text="under", reply_markup=inline)
    sandbox.call("sendMessage", chat_id=sara.id, text="answer me", reply_markup={"force_reply": True})
    assert sara.keyboard() == ("پیوند من", "صندوق", "تنظیمات")
    sandbox.call("sendMessage", chat_id=sara.id, text="anew", reply_markup={"keyboard": [["inbox"]]})
    assert sara.keyboard() == ("inbox",)
    sandbox.call("sendMessage", chat_id=sara.id, text="bye", reply_markup={"remove_keyboard": True})
    assert sara.keyboard() == ()


def test_a_press_writes_the_label_of_what_is_shown(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.call("sendMessage", chat_id=sara.id, text="hello", reply_markup=KEYBOARD)
    pressed = sara.presses("صندوق")
    message = sandbox.call("getUpdates")[-1]["message"]
    assert (message["message_id"], message["text"]) == (pressed.message_id, "صندوق")
    with pytest.raises(ButtonMissing, match=r"no keyboard button 'inbox', only .*صندوق"):
        sara.presses("inbox")
    sandbox.call("sendMessage", chat_id=sara.id, text="bye", reply_markup={"remove_keyboard": True})
    with pytest.raises(ButtonMissing):
        sara.presses("صندوق")


@pytest.mark.parametrize("field", ["keyboard", "inline_keyboard"])
def test_a_button_has_a_label(sandbox: RunningSandbox, sara: Person, field: str) -> None:
    markup = {field: [[{"text": "", "callback_data": "x"}]]}
    code, description = sandbox.refused("sendMessage", chat_id=sara.id, text="x", reply_markup=markup)
    assert code == 400
    assert "non-empty" in description
    assert sara.keyboard() == ()


def test_what_a_button_opens_or_copies_can_be_read(sandbox: RunningSandbox, sara: Person) -> None:
    link = "https://t.me/some_bot?start=slug_-1"
    row = [
        {"text": "copy", "copy_text": {"text": link}},
        {"text": "share", "url": "https://t.me/share/url?url=x"},
    ]
    sandbox.call("sendMessage", chat_id=sara.id, text="x", reply_markup={"inline_keyboard": [row]})
    seen = sara.sees()[-1]
    assert seen.button("copy").copy_text == link
    assert seen.button("share").url == "https://t.me/share/url?url=x"
    assert seen.find_start_link() == link


def test_the_transcript_names_media_albums_and_rows_of_buttons(sandbox: RunningSandbox, sara: Person) -> None:
    sara.sends("voice", caption="گوش کن")
    sara.sends_album([("photo", "one\ntwo"), ("photo", "")], spoiler=True)
    photo = sara.sees()[-1].file_id
    rows = [
        [{"text": "پاسخ", "callback_data": "r:1"}, {"text": "گزارش", "callback_data": "rp:1"}],
        [{"text": "link", "url": "https://t.me/some_bot"}],
    ]
    sandbox.call("sendPhoto", chat_id=sara.id, photo=photo, reply_markup={"inline_keyboard": rows})
    sandbox.call("sendMessage", chat_id=sara.id, text="choose", reply_markup=KEYBOARD)
    assert _plain(sara)[1:] == [
        "   2 سارا: [voice] گوش کن",
        "   3 سارا: [photo 1 of 2, spoiler] one",
        "     two",
        "   4 سارا: [photo 2 of 2, spoiler]",
        "   5 bot: [photo]",
        "     [پاسخ] [گزارش]",
        "     [link]",
        "   6 bot: choose",
        "     keyboard: [پیوند من] [صندوق] [تنظیمات]",
    ]


def test_the_transcript_cuts_what_nobody_reads_in_a_terminal(sara: Person) -> None:
    sara.says("a" * 400)
    sara.says("b" * 4096)
    whole, cut = _plain(sara)[-2:]
    assert whole.endswith(": " + "a" * 400)
    assert cut.endswith(": " + "b" * 400 + "… (3696 characters more)")
