"""getUpdates: order, offsets, kinds, waiting, conflicts."""

import threading
from concurrent.futures import ThreadPoolExecutor

from nekonymous_site.sandbox.people import Sandbox
from tests.sandbox.sandbox_process import RunningSandbox, await_that

WEBHOOK_IS_ACTIVE = (
    "Conflict: can't use getUpdates method while webhook is active; "
    "use deleteWebhook to delete the webhook first"
)


def _ids(updates: list[dict[str, int]]) -> list[int]:
    return [update["update_id"] for update in updates]


def _await_poller(sandbox: Sandbox) -> None:
    await_that(lambda: bool(sandbox.status()["is_polled"]), what="somebody polls")


def test_ids_rise_by_one_and_stay_until_confirmed(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    first, second = sara.says("one").update_id, sara.says("two").update_id
    assert first is not None
    assert second == first + 1
    assert _ids(sandbox.call("getUpdates")) == [first, second]
    assert _ids(sandbox.call("getUpdates", limit=1)) == [first]
    assert _ids(sandbox.call("getUpdates", offset=second)) == [second]
    assert _ids(sandbox.call("getUpdates", offset=0)) == [second]
    assert sandbox.call("getUpdates", offset=second + 1) == []


def test_a_negative_offset_keeps_the_last_ones_only(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    ids = [sara.says(str(number)).update_id for number in range(3)]
    assert _ids(sandbox.call("getUpdates", offset=-1)) == ids[-1:]
    assert _ids(sandbox.call("getUpdates")) == ids[-1:]


def test_a_long_poll_returns_as_soon_as_somebody_writes(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(sandbox.call, "getUpdates", timeout=30)
        _await_poller(sandbox.people)
        sara.says("here I am")
        updates = waiting.result(timeout=5)
    assert updates[0]["message"]["text"] == "here I am"


def test_a_second_poller_ends_the_first_with_a_conflict(sandbox: RunningSandbox) -> None:
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(sandbox.refused, "getUpdates", timeout=30)
        _await_poller(sandbox.people)
        assert sandbox.call("getUpdates") == []
        code, description = waiting.result(timeout=5)
    assert code == 409
    assert description == (
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    )


def test_a_webhook_excludes_polling(sandbox: RunningSandbox) -> None:
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(sandbox.refused, "getUpdates", timeout=30)
        _await_poller(sandbox.people)
        sandbox.call("setWebhook", url="http://127.0.0.1:9/hook")
        assert waiting.result(timeout=5) == (409, "Conflict: terminated by setWebhook request")
    assert sandbox.refused("getUpdates") == (
        409,
        WEBHOOK_IS_ACTIVE,
    )
    sandbox.call("deleteWebhook")
    assert sandbox.call("getUpdates") == []


def test_wanted_kinds_are_remembered(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    sandbox.call("getUpdates", allowed_updates=["my_chat_member"])
    assert sara.says("unheard").update_id is None
    blocked = sara.blocks_bot().update_id
    updates = sandbox.call("getUpdates")
    assert _ids(updates) == [blocked]
    assert updates[0]["my_chat_member"]["new_chat_member"]["status"] == "kicked"
    assert sandbox.call("getWebhookInfo")["allowed_updates"] == ["my_chat_member"]
    sandbox.call("getUpdates", allowed_updates=[])
    assert "allowed_updates" not in sandbox.call("getWebhookInfo")


def test_an_old_update_can_be_repeated_though_it_was_confirmed(sandbox: RunningSandbox) -> None:
    sara = sandbox.people.person()
    first, second = sara.says("one").update_id, sara.says("two").update_id
    assert first is not None
    assert second is not None
    sandbox.call("getUpdates", offset=second + 1)
    sandbox.people.repeat_update(first)
    repeated = sandbox.call("getUpdates", offset=second + 1)
    assert [(update["update_id"], update["message"]["text"]) for update in repeated] == [(first, "one")]
    assert sandbox.call("getUpdates", offset=second + 1) == []


def test_junk_made_for_a_webhook_never_comes_out_of_a_poll(sandbox: RunningSandbox) -> None:
    sandbox.people.deliver_raw(b"no json")
    assert sandbox.call("getUpdates") == []
    assert sandbox.call("getWebhookInfo")["pending_update_count"] == 0


def test_many_writers_get_ids_without_gaps(sandbox: RunningSandbox) -> None:
    people = [sandbox.people.person(f"P{number}") for number in range(4)]
    start = threading.Barrier(4)

    def write(index: int) -> list[int | None]:
        start.wait(timeout=5)
        return [people[index].says(str(number)).update_id for number in range(5)]

    with ThreadPoolExecutor(4) as pool:
        ids = [update_id for written in pool.map(write, range(4)) for update_id in written]
    handed_out = _ids(sandbox.call("getUpdates"))
    assert sorted(ids, key=lambda one: one or 0) == handed_out
    assert handed_out == list(range(handed_out[0], handed_out[0] + 20))
