"""Updates that come twice, late or in the wrong order, by webhook and by polling."""

import time
from pathlib import Path
from typing import Any

import pytest

from nekonymous_site.sandbox.people import Person
from tests.sandbox.sandbox_process import RunningSandbox, await_that
from tests.sandbox.webhook_receiver import Answer, WebhookReceiver


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person()
    sara.says("/start")
    sandbox.call("sendMessage", chat_id=sara.id, text="tap me")
    sandbox.call("deleteWebhook", drop_pending_updates=True)
    return sara


def _name(update: dict[str, Any]) -> str:
    query = update.get("callback_query")
    return str(query["data"] if query else update["message"]["text"])


def _arrived(receiver: WebhookReceiver, count: int) -> list[str]:
    return [_name(delivery.update) for delivery in receiver.await_deliveries(count)]


def _poll_until(sandbox: RunningSandbox, count: int) -> list[str]:
    """Poll as a bot does, which confirms from behind the highest id it has seen."""
    names: list[str] = []
    offset = 0

    def has_all() -> bool:
        nonlocal offset
        for update in sandbox.call("getUpdates", offset=offset, timeout=1):
            offset = max(offset, update["update_id"] + 1)
            names.append(_name(update))
        return len(names) >= count

    await_that(has_all, what=f"{count} updates")
    return names


def test_an_update_comes_again_after_it_was_acknowledged(
    sandbox: RunningSandbox, sara: Person, receiver: WebhookReceiver
) -> None:
    answers = iter([Answer(500), Answer(), Answer()])
    receiver.answer = lambda _delivery: next(answers)
    sandbox.people.inject_fault("duplicate_update", update_kind="message", chat_id=sara.id)
    sandbox.call("setWebhook", url=receiver.url)
    sent = sara.says("twice")
    deliveries = receiver.await_deliveries(3)
    assert {delivery.update["update_id"] for delivery in deliveries} == {sent.update_id}
    assert len({delivery.body for delivery in deliveries}) == 1
    await_that(
        lambda: sandbox.call("getWebhookInfo")["pending_update_count"] == 0, what="all is acknowledged"
    )
    assert len(receiver.deliveries) == 3


def test_a_poller_gets_an_update_again_though_it_has_confirmed_it(
    sandbox: RunningSandbox, sara: Person
) -> None:
    sandbox.people.inject_fault("duplicate_update")
    sara.says("twice")
    sara.says("once")
    assert _poll_until(sandbox, 3) == ["twice", "once", "twice"]
    assert [_name(update) for update in sandbox.call("getUpdates")] == ["twice"]
    sandbox.call("getUpdates", offset=sandbox.call("getUpdates")[-1]["update_id"] + 1)
    assert sandbox.call("getWebhookInfo")["pending_update_count"] == 0


def test_only_the_kind_and_chat_that_were_named_come_twice(sandbox: RunningSandbox, sara: Person) -> None:
    adam = sandbox.people.person("Adam")
    sandbox.people.inject_fault("duplicate_update", update_kind="callback_query", chat_id=sara.id)
    adam.says("adam")
    sara.says("sara")
    sara.taps_data(2, "tap")
    assert sorted(_poll_until(sandbox, 4)) == ["adam", "sara", "tap", "tap"]


def test_a_late_update_holds_its_own_lane_and_no_other(
    sandbox: RunningSandbox, sara: Person, receiver: WebhookReceiver
) -> None:
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.inject_fault("late_update", update_kind="message", late_seconds=0.5)
    started = time.monotonic()
    sara.says("late")
    sara.says("behind it")
    sara.taps_data(2, "tap")
    assert _arrived(receiver, 3) == ["tap", "late", "behind it"]
    at = [delivery.at - started for delivery in receiver.deliveries]
    assert at[0] < 0.4 < at[1]


def test_a_late_update_is_not_lost_to_a_poller_that_went_on(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("late_update", late_seconds=0.5)
    sara.says("late")
    sara.says("behind it")
    sara.taps_data(2, "tap")
    assert _poll_until(sandbox, 3) == ["tap", "late", "behind it"]


def test_updates_of_different_lanes_change_places(
    sandbox: RunningSandbox, sara: Person, receiver: WebhookReceiver
) -> None:
    adam = sandbox.people.person("Adam")
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.inject_fault("reorder_updates", chat_id=sara.id)
    sara.says("first")
    adam.says("elsewhere")
    receiver.await_deliveries(1)
    sara.taps_data(2, "second")
    assert _arrived(receiver, 3) == ["elsewhere", "second", "first"]


def test_the_one_that_waits_comes_only_after_the_other_was_acknowledged(
    sandbox: RunningSandbox, sara: Person, receiver: WebhookReceiver
) -> None:
    refusals = iter([500, 500])
    receiver.answer = lambda delivery: Answer(
        next(refusals, 200) if "callback_query" in delivery.update else 200
    )
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.inject_fault("reorder_updates", late_seconds=60)
    sara.says("first")
    sara.taps_data(2, "second")
    assert _arrived(receiver, 4) == ["second", "second", "second", "first"]


def test_nothing_waits_for_ever_for_an_update_that_never_comes(
    sandbox: RunningSandbox, sara: Person, receiver: WebhookReceiver
) -> None:
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.inject_fault("reorder_updates", late_seconds=0.3)
    sara.says("alone")
    assert _arrived(receiver, 1) == ["alone"]


@pytest.mark.parametrize("kind", ["reorder_updates", "swap_in_lane"])
def test_a_poller_gets_them_in_changed_places_too(sandbox: RunningSandbox, sara: Person, kind: str) -> None:
    sandbox.people.inject_fault(kind)
    sara.says("first")
    if kind == "swap_in_lane":
        sara.says("second")
    else:
        sara.taps_data(2, "second")
    sara.says("third")
    assert _poll_until(sandbox, 3)[:2] == ["second", "first"]


def test_two_of_one_lane_change_places(
    sandbox: RunningSandbox, sara: Person, receiver: WebhookReceiver
) -> None:
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.inject_fault("swap_in_lane", chat_id=sara.id)
    for number in range(4):
        sara.says(str(number))
    assert _arrived(receiver, 4) == ["1", "0", "2", "3"]


def test_dropping_what_waits_drops_what_is_held_back(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("late_update", late_seconds=600)
    sara.says("late")
    assert sandbox.call("getWebhookInfo")["pending_update_count"] == 1
    sandbox.call("deleteWebhook", drop_pending_updates=True)
    sara.says("next")
    assert [_name(update) for update in sandbox.call("getUpdates")] == ["next"]


@pytest.mark.processes
def test_what_is_held_back_or_doubled_survives_a_restart(own_state: Path) -> None:
    before = RunningSandbox(own_state)
    sara = before.people.person()
    before.people.inject_fault("duplicate_update")
    sara.says("twice")
    before.people.inject_fault("late_update", late_seconds=600)
    before.people.person("Adam").says("late")
    before.stop()
    after = RunningSandbox(own_state)
    try:
        assert _poll_until(after, 2) == ["twice", "twice"]
        assert after.call("getWebhookInfo")["pending_update_count"] == 2
    finally:
        after.stop()
