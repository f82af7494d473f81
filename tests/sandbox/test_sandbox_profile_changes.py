"""What people change of themselves, and what goes with all that follows."""

import pytest

from nekonymous_site.sandbox.people import Person, SandboxRefused
from tests.sandbox.sandbox_process import RunningSandbox


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person("سارا", username="sara_example")
    sara.says("/start")
    return sara


def test_a_changed_name_and_language_go_with_all_that_follows(sandbox: RunningSandbox, sara: Person) -> None:
    sara.changes(language_code="en", first_name="Sarah")
    assert (sara.first_name, sara.language_code) == ("Sarah", "en")
    sara.says("hi")
    message = sandbox.call("getUpdates")[-1]["message"]
    assert message["from"] == {
        "id": sara.id,
        "is_bot": False,
        "first_name": "Sarah",
        "username": "sara_example",
        "language_code": "en",
    }
    assert message["chat"]["first_name"] == "Sarah"
    assert sara.sees()[0].raw["chat"]["first_name"] == "سارا"
    sara.changes(username=None, language_code=None)
    sara.says("again")
    assert sandbox.call("getUpdates")[-1]["message"]["from"].keys() == {"id", "is_bot", "first_name"}


@pytest.mark.parametrize(("method", "kind"), [("sendVoice", "voice"), ("sendVideoNote", "video_note")])
def test_whoever_forbids_voice_gets_neither_voice_nor_round_video(
    sandbox: RunningSandbox, sara: Person, method: str, kind: str
) -> None:
    sara.sends(kind)
    file_id = sara.sees()[-1].file_id
    sara.changes(forbids_voice=True)
    refused = sandbox.refused(method, chat_id=sara.id, **{kind: file_id})
    assert refused == (400, "Bad Request: VOICE_MESSAGES_FORBIDDEN")
    sandbox.call("sendMessage", chat_id=sara.id, text="This comes.")
    sara.changes(forbids_voice=False)
    assert sandbox.call(method, chat_id=sara.id, **{kind: file_id})["message_id"]


@pytest.mark.parametrize(
    "changes",
    [
        {"forbids_voice": "yes"},
        {},
        {"first_name": None},
        {"first_name": ""},
        {"id": 5},
        {"username": "x" * 65},
        {"language_code": 5},
    ],
)
def test_a_change_that_makes_no_sense_is_refused(
    sandbox: RunningSandbox, sara: Person, changes: dict[str, object]
) -> None:
    with pytest.raises(SandboxRefused) as refusal:
        sandbox.people.control.patch(f"/sandbox/people/{sara.id}", changes)
    assert refusal.value.status == 400
