"""What the send client says it can do is done in a chat, and what it says it cannot is not to be had."""

from collections.abc import Callable

import pytest

from nekonymous_site.sandbox.people import Person, SeenMessage
from outbox.send_features import BOT_API, SendFeature
from outbox.send_result import Failed, Sent
from outbox.telegram_client import BotApiCall, send
from tests.sandbox.sandbox_process import RunningSandbox


@pytest.fixture
def sara(bot_at_sandbox: RunningSandbox) -> Person:
    person = bot_at_sandbox.people.person("Sara")
    person.says("hello")
    return person


def _send(method: str, person: Person, **parameters: object) -> SeenMessage:
    assert isinstance(send(BotApiCall(method=method, parameters={"chat_id": person.id, **parameters})), Sent)
    return person.sees()[-1]


def _photo_id(person: Person) -> str:
    person.sends("photo")
    return str(person.sees()[-1].file_id)


def _sends_text(person: Person) -> None:
    assert _send("sendMessage", person, text="words").text == "words"


def _sends_media(person: Person) -> None:
    assert _send("sendPhoto", person, photo=_photo_id(person)).kind == "photo"


def _sends_albums(person: Person) -> None:
    item = {"type": "photo", "media": _photo_id(person)}
    last = _send("sendMediaGroup", person, media=[item, item])
    group = [one for one in person.sees() if one.from_bot and one.media_group_id]
    assert len(group) == 2
    assert {one.media_group_id for one in group} == {last.media_group_id}


def _edits(person: Person) -> None:
    first = _send("sendMessage", person, text="before")
    edited = _send("editMessageText", person, message_id=first.message_id, text="after")
    assert (edited.message_id, edited.text, edited.is_edited) == (first.message_id, "after", True)


def _reacts(person: Person) -> None:
    own = person.says("look")
    emoji = [{"type": "emoji", "emoji": "🕊"}]
    assert _send("setMessageReaction", person, message_id=own.message_id, reaction=emoji).reactions == ("🕊",)


def _sends_silently(person: Person) -> None:
    assert _send("sendMessage", person, text="hush", disable_notification=True).is_silent


def _replies(person: Person) -> None:
    own = person.says("a question")
    answer = _send("sendMessage", person, text="yes", reply_parameters={"message_id": own.message_id})
    assert answer.reply_to_message_id == own.message_id


def _protects(person: Person) -> None:
    assert _send("sendMessage", person, text="keep it", protect_content=True).is_protected


def _cannot_send_to_several(person: Person) -> None:
    call = BotApiCall(method="sendMessage", parameters={"chat_id": [person.id, person.id], "text": "all"})
    assert isinstance(send(call), Failed)


def _cannot_be_asked_what_was_sent(person: Person) -> None:
    _send("sendMessage", person, text="was it sent?")
    for method in ("getMessage", "getMessages", "getChatHistory"):
        assert isinstance(send(BotApiCall(method=method, parameters={"chat_id": person.id})), Failed)


PROOFS: dict[SendFeature, Callable[[Person], None]] = {
    SendFeature.TEXT: _sends_text,
    SendFeature.MEDIA: _sends_media,
    SendFeature.ALBUM: _sends_albums,
    SendFeature.EDIT: _edits,
    SendFeature.REACTION: _reacts,
    SendFeature.SILENT: _sends_silently,
    SendFeature.REPLY_TO: _replies,
    SendFeature.PROTECT: _protects,
    SendFeature.BATCH: _cannot_send_to_several,
    SendFeature.RECONCILE: _cannot_be_asked_what_was_sent,
}


@pytest.mark.parametrize("feature", PROOFS)
def test_a_feature_is_what_the_client_says(sara: Person, feature: SendFeature) -> None:
    PROOFS[feature](sara)


def test_every_flag_has_a_proof_of_its_own_side() -> None:
    assert set(PROOFS) == set(SendFeature)
    lacking = {feature for feature, proof in PROOFS.items() if "cannot" in proof.__name__}
    assert lacking == set(~BOT_API)
