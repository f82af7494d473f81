"""Nothing in the sandbox grows without end, and old updates are dropped as the real server drops them."""

import json
import time

import pytest

from nekonymous_site.sandbox.bot_api_errors import BotApiError
from nekonymous_site.sandbox.call_log import CALLS_KEPT, CallLog, RecordedCall
from nekonymous_site.sandbox.file_store import FILES_KEPT, FileStore
from nekonymous_site.sandbox.pulse import Pulse
from nekonymous_site.sandbox.update_queue import (
    MAX_PENDING_UPDATES,
    UpdateQueue,
    UpdateQueueFull,
    UpdateUnknown,
)
from nekonymous_site.sandbox.world import MESSAGES_KEPT_PER_CHAT, TAPS_KEPT_PER_CHAT, Bot, World


def _tap_of(person_id: int) -> dict[str, object]:
    return {"id": "1", "from": {"id": person_id}, "data": "x"}


def test_a_chat_keeps_its_latest_messages_and_taps() -> None:
    world = World(Bot(token="1:x", id=1), changed=Pulse())
    person = world.add_person(first_name="Sara", language_code=None, username=None)
    chat = world.conversations[person.id]
    for number in range(MESSAGES_KEPT_PER_CHAT + 5):
        world.add_message(chat, sender=world.bot.as_user(), fields={"text": str(number)})
        world.add_tap(chat, person_id=person.id, message_id=1, data=str(number))
    assert list(chat.messages) == list(range(6, MESSAGES_KEPT_PER_CHAT + 6))
    assert len(chat.taps) == TAPS_KEPT_PER_CHAT
    assert chat.taps[-1].callback_data == str(MESSAGES_KEPT_PER_CHAT + 4)


def test_a_full_queue_takes_no_more_until_something_is_confirmed() -> None:
    queue = UpdateQueue(changed=Pulse())
    ids = [queue.add("message", {"chat": {"id": 1}}) for _ in range(MAX_PENDING_UPDATES)]
    with pytest.raises(UpdateQueueFull):
        queue.add("message", {"chat": {"id": 1}})
    assert ids[1] is not None
    queue.confirm_below(ids[1])
    queue.require_room()
    with pytest.raises(UpdateQueueFull):
        queue.require_room(updates=2)
    assert queue.add("message", {"chat": {"id": 1}}) == queue.next_update_id - 1


def test_taps_are_dropped_after_150_seconds_and_messages_after_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = UpdateQueue(changed=Pulse())
    message_id = queue.add("message", {"chat": {"id": 1}})
    tap_id = queue.add("callback_query", _tap_of(1))
    started = time.time()

    def waiting_after(seconds: float) -> list[int]:
        with monkeypatch.context() as clock:
            clock.setattr("nekonymous_site.sandbox.update_queue.time.time", lambda: started + seconds)
            return [update.update_id for update in queue.in_order()]

    assert waiting_after(149) == [message_id, tap_id]
    assert waiting_after(151) == [message_id]
    assert waiting_after(86_401) == []
    assert queue.count() == 0


def test_only_recent_updates_can_be_repeated() -> None:
    queue = UpdateQueue(changed=Pulse())
    first = queue.add_raw(json.dumps({"update_id": 5, "message": {"chat": {"id": 1}}}))
    assert first == 5
    for _ in range(1_000):
        queue.add("message", {"chat": {"id": 1}})
    with pytest.raises(UpdateUnknown):
        queue.repeat(first)


def test_the_record_of_calls_forgets_the_oldest() -> None:
    log = CallLog()
    for number in range(CALLS_KEPT + 1):
        log.record(RecordedCall(method="getMe", params={"n": number}, via="http"))
    kept = log.as_json(method="GETME")
    assert (len(kept), kept[0]["params"]) == (CALLS_KEPT, {"n": 1})


def test_the_oldest_files_are_forgotten() -> None:
    store = FileStore()
    for number in range(FILES_KEPT + 1):
        store.remember({"voice": {"file_id": str(number)}})
    with pytest.raises(BotApiError, match="wrong file identifier"):
        store.find("0", kind="voice")
    assert store.find("1", kind="voice") == {"file_id": "1"}
    assert len(store.files) == FILES_KEPT
