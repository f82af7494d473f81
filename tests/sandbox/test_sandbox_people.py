"""What made-up people can do, and the client that speaks for them."""

import threading
import time

import pytest
import requests

from nekonymous_site.sandbox.people import ButtonMissing, NotSeen, SandboxRefused
from tests.sandbox.sandbox_process import RunningSandbox


def test_people_have_ids_beyond_32_bits(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person("سارا", "fa")
    assert sara.id > 2**33
    assert sara.id in {one.id for one in sandbox.people.people()}


def test_a_reply_to_the_bot_carries_its_message_with_the_buttons(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    sara.says("/start")
    markup = {"inline_keyboard": [[{"text": "پاسخ", "callback_data": "r:1"}]]}
    sandbox.call("sendMessage", chat_id=sara.id, text="question", reply_markup=markup)
    sara.says("answer", reply_to=sara.sees()[-1])
    message = sandbox.call("getUpdates")[-1]["message"]
    assert message["reply_to_message"]["text"] == "question"
    assert message["reply_to_message"]["from"]["is_bot"] is True
    assert message["reply_to_message"]["reply_markup"] == markup


def test_commands_in_peoples_texts_are_found(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    sara.says("😀 /inbox@nekonymous_sandbox_bot and a/b and /start\u200cسلام")
    entities = sandbox.call("getUpdates")[0]["message"]["entities"]
    assert [(one["type"], one["offset"], one["length"]) for one in entities] == [
        ("bot_command", 3, 29),
        ("bot_command", 45, 6),
    ]


@pytest.mark.parametrize(
    "kind", ["photo", "sticker", "contact", "voice", "document", "location", "dice", "poll"]
)
def test_other_kinds_can_be_sent(sandbox: RunningSandbox, kind: str) -> None:
    sandbox.people.person().sends(kind)
    message = sandbox.call("getUpdates")[0]["message"]
    assert message[kind]
    assert "text" not in message


def test_a_caption_and_extra_fields_come_along(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    sara.sends("photo", caption="نگاه کن", extra_fields={"media_group_id": "7"})
    message = sandbox.call("getUpdates")[0]["message"]
    assert (message["caption"], message["media_group_id"]) == ("نگاه کن", "7")
    assert sara.sees()[0].text == "نگاه کن"


def test_a_text_longer_than_a_client_sends_is_refused(sandbox: RunningSandbox) -> None:
    with pytest.raises(SandboxRefused, match="message is too long"):
        sandbox.people.person().says("x" * 4097)


def test_blocking_is_told_once(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    sara.says("/start")
    assert sara.blocks_bot().update_id is not None
    assert sara.blocks_bot().update_id is None
    with pytest.raises(SandboxRefused, match="unblock it first"):
        sara.says("anybody there?")
    assert sara.unblocks_bot().update_id is not None
    statuses = [
        update["my_chat_member"]["new_chat_member"]["status"]
        for update in sandbox.call("getUpdates")
        if "my_chat_member" in update
    ]
    assert statuses == ["kicked", "member"]


def test_a_tap_needs_a_message_of_the_bot(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    sara.says("mine")
    with pytest.raises(SandboxRefused, match="no such message of the bot"):
        sara.taps_data(1, "x")


def test_groups_are_heard_until_the_bot_leaves(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    group = sandbox.people.group("Friends")
    group.hears(sara, "/start")
    message = sandbox.call("getUpdates")[0]["message"]
    assert (message["chat"]["id"], message["chat"]["type"]) == (group.id, "supergroup")
    assert message["from"]["id"] == sara.id
    sandbox.call("sendMessage", chat_id=group.id, text="in private, please")
    assert group.sees()[-1].text == "in private, please"
    sandbox.call("leaveChat", chat_id=group.id)
    assert not group.has_bot()
    assert group.hears(sara, "hello?").update_id is None
    assert sandbox.refused("sendMessage", chat_id=group.id, text="x")[0] == 403


def test_waiting_sees_only_what_comes_after_the_last_act(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    sara.says("/start")
    sandbox.call("sendMessage", chat_id=sara.id, text="pong 1")
    first = sara.awaits("pong")
    sara.says("again")
    with pytest.raises(NotSeen, match=r"did not see 'pong' within 0\.1 s[\s\S]*pong 1"):
        sara.awaits("pong", seconds=0.1)
    assert sara.awaits("pong", after=0) == first
    sandbox.call("sendMessage", chat_id=sara.id, text="pong 2")
    assert sara.awaits("pong").text == "pong 2"
    assert sara.awaits(lambda message: message.message_id > first.message_id, after=first).text == "pong 2"


def test_waiting_ends_with_the_edit_it_waited_for(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    sara.says("/inbox")
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="1 of 2")
    where = {"chat_id": sara.id, "message_id": sent["message_id"]}
    edit = threading.Timer(0.2, lambda: sandbox.call("editMessageText", **where, text="2 of 2"))
    edit.start()
    started = time.monotonic()
    assert sara.awaits("2 of 2").is_edited
    assert time.monotonic() - started < 5
    edit.join()


def test_buttons_are_found_by_label_prefix_or_part(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    sara.says("/start")
    rows = [
        [{"text": "پاسخ", "callback_data": "r:abc"}, {"text": "گزارش 🚩", "callback_data": "rp:abc"}],
        [{"text": "link", "url": "https://t.me/some_bot?start=slug_-1"}],
    ]
    sandbox.call("sendMessage", chat_id=sara.id, text="x", reply_markup={"inline_keyboard": rows})
    seen = sara.sees()[-1]
    assert seen.button("r:").text == "پاسخ"
    assert seen.button("گزارش").callback_data == "rp:abc"
    assert seen.button("link").row == 1
    assert seen.find_start_link() == "https://t.me/some_bot?start=slug_-1"
    with pytest.raises(ButtonMissing, match="no button 'block'"):
        seen.button("block")
    with pytest.raises(ValueError, match="no button for the bot"):
        sara.taps(seen, "link")


def test_following_a_link_is_a_start_with_its_slug(sandbox: RunningSandbox) -> None:
    sandbox.people.person().opens("https://t.me/some_bot?start=slug_-1")
    assert sandbox.call("getUpdates")[0]["message"]["text"] == "/start slug_-1"


def test_the_transcript_shows_buttons_and_toasts(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person("سارا")
    sara.says("/start")
    markup = {"inline_keyboard": [[{"text": "پاسخ", "callback_data": "r:1"}]]}
    sandbox.call("sendMessage", chat_id=sara.id, text="one\ntwo", reply_markup=markup)
    tap = sara.taps(sara.sees()[-1], "r:")
    sandbox.call("answerCallbackQuery", callback_query_id=tap.callback_query_id, text="باشه")
    plain = sara.transcript().replace("\u2068", "").replace("\u2069", "")
    assert plain.splitlines() == [
        "   1 سارا: /start",
        "   2 bot: one",
        "     two",
        "     [پاسخ]",
        "     (باشه)",
    ]


def test_the_guide_and_the_status_say_who_this_is(sandbox: RunningSandbox) -> None:
    guide = requests.get(f"{sandbox.base_url}/guide", timeout=5, headers={"Connection": "close"}).text
    assert f"curl {sandbox.base_url}/sandbox/people" in guide
    status = sandbox.people.status()
    assert status["sandbox"] is True
    assert status["bot"]["id"] == 7000000001


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"text": "x", "entities": {"type": "bold"}},
        {"text": "x", "extra_fields": [1]},
        {"text": "x", "reply_to_message_id": 9},
        {"text": "x", "reply_to_message_id": "1"},
    ],
)
def test_a_message_that_cannot_be_is_refused_and_leaves_no_trace(
    sandbox: RunningSandbox, message: dict[str, object]
) -> None:
    sara = sandbox.people.person()
    with pytest.raises(SandboxRefused) as refusal:
        sandbox.people.control.post(f"/sandbox/people/{sara.id}/messages", message)
    assert refusal.value.status == 409
    assert sara.sees() == ()


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Host": "rebound.example"}])
def test_pages_of_other_sites_cannot_act_here(sandbox: RunningSandbox, headers: dict[str, str]) -> None:
    response = requests.post(
        f"{sandbox.base_url}/sandbox/people",
        json={"first_name": "x"},
        headers=headers | {"Connection": "close"},
        timeout=5,
    )
    assert response.status_code == 403


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/sandbox/people", {}, 400),
        ("/sandbox/people", {"first_name": 5}, 400),
        ("/sandbox/people/1/messages", {"text": "x"}, 404),
        ("/sandbox/groups/-1/messages", {"text": "x"}, 404),
        ("/sandbox/updates", {"repeat_update_id": 1}, 404),
        ("/sandbox/updates", {"repeat_update_id": "1"}, 400),
    ],
)
def test_a_control_request_that_makes_no_sense_is_refused(
    sandbox: RunningSandbox, path: str, body: dict[str, object], status: int
) -> None:
    with pytest.raises(SandboxRefused) as refusal:
        sandbox.people.control.post(path, body)
    assert refusal.value.status == status
