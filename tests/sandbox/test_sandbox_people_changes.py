"""What people do to what stands there already: edit, react, delete, leave, throw the bot out."""

from collections.abc import Callable
from typing import Any

import pytest

from nekonymous_site.sandbox.people import Person, SandboxRefused
from tests.sandbox.sandbox_process import RunningSandbox

THUMB = {"type": "emoji", "emoji": "👍"}
HEART = {"type": "emoji", "emoji": "❤"}
DEACTIVATED = (403, "Forbidden: user is deactivated")


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person("سارا", username="sara_example")
    sara.says("/start")
    sandbox.call("getUpdates", offset=-1)
    return sara


def _last_update(sandbox: RunningSandbox) -> Any:  # noqa: ANN401 - JSON
    return sandbox.call("getUpdates")[-1]


def test_an_edit_of_ones_own_text_is_told_with_its_date(sandbox: RunningSandbox, sara: Person) -> None:
    written = sara.says("helo")
    bold = [{"type": "bold", "offset": 0, "length": 5}]
    edited = sara.edits(written, "hello", entities=bold)
    update = _last_update(sandbox)
    assert update["update_id"] == edited.update_id
    message = update["edited_message"]
    assert (message["message_id"], message["text"], message["entities"]) == (
        written.message_id,
        "hello",
        bold,
    )
    assert message["edit_date"] >= message["date"]
    seen = sara.sees()[-1]
    assert (seen.text, seen.is_edited, seen.revision) == ("hello", True, edited.revision)


def test_an_edit_of_a_caption_leaves_the_medium(sandbox: RunningSandbox, sara: Person) -> None:
    photo = sara.sends("photo", caption="one", caption_above=True)
    before = sara.sees()[-1].raw
    sara.edits(photo, caption="two")
    message = _last_update(sandbox)["edited_message"]
    assert (message["caption"], message["photo"]) == ("two", before["photo"])
    assert message["show_caption_above_media"] is True
    sara.edits(photo, caption="")
    assert "caption" not in _last_update(sandbox)["edited_message"]


def test_edits_that_no_app_offers_are_refused(sandbox: RunningSandbox, sara: Person) -> None:
    bots = sandbox.call("sendMessage", chat_id=sara.id, text="mine")["message_id"]
    with pytest.raises(SandboxRefused, match="only own messages"):
        sara.edits(bots, "x")
    with pytest.raises(SandboxRefused, match="says already"):
        sara.edits(1, "/start")
    with pytest.raises(SandboxRefused, match="give a text"):
        sara.edits(1, caption="a text has none")
    with pytest.raises(SandboxRefused, match="message is too long"):
        sara.edits(1, "x" * 4097)
    with pytest.raises(SandboxRefused, match="forwarded"):
        sara.edits(sara.forwards("user", {"text": "not hers"}), "x")
    with pytest.raises(SandboxRefused, match="no such message"):
        sara.edits(99, "x")
    assert not any("edited_message" in update for update in sandbox.call("getUpdates"))


def test_a_reaction_is_told_only_to_a_bot_that_asked(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.call("sendMessage", chat_id=sara.id, text="mine")
    assert sara.reacts(2, "👍").update_id is None
    assert sara.sees()[-1].person_reactions == ("👍",)
    sandbox.call("getUpdates", allowed_updates=["message", "message_reaction"])
    changed = sara.reacts(2, "❤")
    assert sara.reacts(2, "❤").update_id is None
    sara.reacts(2, None)
    told = sandbox.call("getUpdates")[-2:]
    assert told[0]["update_id"] == changed.update_id
    changes = [one["message_reaction"] for one in told]
    assert [(one["old_reaction"], one["new_reaction"]) for one in changes] == [
        ([THUMB], [HEART]),
        ([HEART], []),
    ]
    assert (changes[0]["user"]["id"], changes[0]["chat"]["id"]) == (sara.id, sara.id)
    assert changes[0]["message_id"] == 2
    assert sara.sees()[-1].person_reactions == ()


def test_the_bots_and_the_persons_reactions_stand_apart(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.call("setMessageReaction", chat_id=sara.id, message_id=1, reaction=[HEART])
    sara.reacts(1, "👍")
    seen = sara.sees()[0]
    assert (seen.reactions, seen.person_reactions) == (("❤",), ("👍",))


def test_a_reaction_may_come_with_an_edit_that_nobody_made(sandbox: RunningSandbox, sara: Person) -> None:
    before = sara.sees()[0]
    done = sara.reacts(1, "👍", phantom_edit=True)
    update = _last_update(sandbox)
    assert update["update_id"] == done.phantom_update_id
    assert update["edited_message"].pop("edit_date") > 0
    assert update["edited_message"] == before.raw
    assert not sara.sees()[0].is_edited


def test_reactions_that_cannot_be_are_refused(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.call("sendMessage", chat_id=sara.id, text="mine")
    with pytest.raises(SandboxRefused, match="no emoji that people react with"):
        sara.reacts(1, "🧿")
    with pytest.raises(SandboxRefused, match="its own messages"):
        sara.reacts(2, "👍", phantom_edit=True)
    assert [one.person_reactions for one in sara.sees()] == [(), ()]


def test_what_was_deleted_can_neither_be_edited_nor_answered(sandbox: RunningSandbox, sara: Person) -> None:
    bots = sandbox.call("sendMessage", chat_id=sara.id, text="mine")["message_id"]
    pending = len(sandbox.call("getUpdates"))
    assert sara.deletes(bots).update_id is None
    sara.deletes(1)
    assert sara.sees() == ()
    assert len(sandbox.call("getUpdates")) == pending
    edit = sandbox.refused("editMessageText", chat_id=sara.id, message_id=bots, text="x")
    assert edit == (400, "Bad Request: message to edit not found")
    reply: dict[str, object] = {"message_id": 1}
    refused = sandbox.refused("sendMessage", chat_id=sara.id, text="x", reply_parameters=reply)
    assert refused == (400, "Bad Request: message to be replied not found")
    reply["allow_sending_without_reply"] = True
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="x", reply_parameters=reply)
    assert "reply_to_message" not in sent
    assert sent["message_id"] == bots + 1


def test_deleting_wakes_whoever_watches_the_chat(sandbox: RunningSandbox, sara: Person) -> None:
    known = sara.chat().revision
    assert sara.deletes(1).revision == known + 1
    assert sara.chat().revision == known + 1


def test_whoever_left_telegram_gets_nothing_and_does_nothing(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.call("sendMessage", chat_id=sara.id, text="mine")
    group = sandbox.people.group()
    pending = len(sandbox.call("getUpdates"))
    assert sara.leaves().update_id is None
    assert sandbox.people.control.get("/sandbox/people")["people"][-1]["has_left"] is True
    assert sandbox.refused("sendMessage", chat_id=sara.id, text="x") == DEACTIVATED
    assert sandbox.refused("editMessageText", chat_id=sara.id, message_id=2, text="x") == DEACTIVATED
    acts: list[Callable[[], object]] = [
        lambda: sara.says("x"),
        lambda: sara.edits(1, "x"),
        lambda: sara.reacts(1, "👍"),
        lambda: sara.deletes(1),
        lambda: sara.taps_data(2, "x"),
        sara.blocks_bot,
        lambda: sara.changes(first_name="x"),
        sara.leaves,
        lambda: group.hears(sara, "x"),
        lambda: group.removes_bot(sara),
        lambda: sara.sends_album([("photo", ""), ("photo", "")]),
    ]
    for act in acts:
        with pytest.raises(SandboxRefused, match="has left Telegram") as refusal:
            act()
        assert refusal.value.status == 409
    assert len(sandbox.call("getUpdates")) == pending


def test_whoever_left_counts_as_gone_though_the_bot_was_blocked(
    sandbox: RunningSandbox, sara: Person
) -> None:
    sara.blocks_bot()
    sara.leaves()
    assert sandbox.refused("sendMessage", chat_id=sara.id, text="x") == DEACTIVATED


def test_a_group_throws_the_bot_out_and_takes_it_in_again(sandbox: RunningSandbox, sara: Person) -> None:
    group = sandbox.people.group("Friends")
    removed = group.removes_bot(sara)
    assert group.removes_bot(sara).update_id is None
    assert not group.has_bot()
    assert sandbox.refused("sendMessage", chat_id=group.id, text="x") == (
        403,
        "Forbidden: bot was kicked from the supergroup chat",
    )
    assert group.hears(sara, "peace").update_id is None
    added = group.adds_bot(sara)
    assert group.adds_bot(sara).update_id is None
    sandbox.call("sendMessage", chat_id=group.id, text="back")
    told = [one for one in sandbox.call("getUpdates") if "my_chat_member" in one]
    assert [one["update_id"] for one in told] == [removed.update_id, added.update_id]
    changes = [one["my_chat_member"] for one in told]
    assert [(one["old_chat_member"]["status"], one["new_chat_member"]["status"]) for one in changes] == [
        ("member", "kicked"),
        ("kicked", "member"),
    ]
    assert (changes[0]["chat"]["id"], changes[0]["from"]["id"]) == (group.id, sara.id)


def test_a_bot_that_went_by_itself_was_not_thrown_out(sandbox: RunningSandbox, sara: Person) -> None:
    group = sandbox.people.group()
    sandbox.call("leaveChat", chat_id=group.id)
    assert sandbox.refused("sendMessage", chat_id=group.id, text="x") == (
        403,
        "Forbidden: bot is not a member of the supergroup chat",
    )
    group.adds_bot(sara)
    assert _last_update(sandbox)["my_chat_member"]["old_chat_member"]["status"] == "left"


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("user", "sender_user"),
        ("hidden_user", "sender_user_name"),
        ("chat", "sender_chat"),
        ("channel", "message_id"),
    ],
)
def test_what_was_forwarded_says_from_where(
    sandbox: RunningSandbox, sara: Person, kind: str, field: str
) -> None:
    sara.forwards(kind, {"text": "not mine"})
    message = _last_update(sandbox)["message"]
    assert message["forward_origin"]["type"] == kind
    assert message["forward_origin"]["date"] < message["date"]
    assert message["forward_origin"][field]


def test_a_medium_may_be_forwarded_or_come_through_a_bot(sandbox: RunningSandbox, sara: Person) -> None:
    sara.forwards("channel", {"photo": True, "via_bot": True})
    message = _last_update(sandbox)["message"]
    assert message["via_bot"]["is_bot"] is True
    assert message["forward_origin"]["chat"]["type"] == "channel"
    with pytest.raises(SandboxRefused, match="forwarded must be one of"):
        sara.forwards("dream", {"text": "x"})


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("edits", {"text": "x"}, 400),
        ("edits", {"message_id": 1, "text": None}, 409),
        ("reactions", {"message_id": 1}, 400),
        ("reactions", {"message_id": 1, "emoji": ""}, 400),
        ("reactions", {"message_id": 1, "emoji": "👍", "phantom_edit": "yes"}, 400),
        ("reactions", {"message_id": 99, "emoji": "👍"}, 409),
        ("deletions", {}, 400),
        ("deletions", {"message_id": 99}, 409),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    sandbox: RunningSandbox, sara: Person, path: str, body: dict[str, object], status: int
) -> None:
    with pytest.raises(SandboxRefused) as refusal:
        sandbox.people.control.post(f"/sandbox/people/{sara.id}/{path}", body)
    assert refusal.value.status == status
