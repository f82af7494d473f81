"""Telegram's rates: the buckets by themselves, and the refusals as the bot gets them."""

import itertools
import time
from typing import Any

import pytest

from nekonymous_site.sandbox.people import Person, SandboxRefused
from nekonymous_site.sandbox.send_rates import MAX_CHATS_COUNTED, RateFigures, SendCost, SendRates
from tests.sandbox.sandbox_process import RunningSandbox


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rates(clock: Clock) -> SendRates:
    return SendRates(clock=clock, enforced=True)


def _cost(messages: int = 1, *, chat_id: int = 1) -> SendCost:
    return SendCost(overall=messages, chat=messages, chat_id=chat_id, is_private=chat_id > 0)


def _try(rates: SendRates, cost: SendCost) -> int | None:
    """Send if it is allowed; returns the seconds to wait otherwise."""
    seconds = rates.refuse(cost)
    if seconds is None:
        rates.note_sent(cost)
    return seconds


def test_a_private_chat_takes_a_burst_and_then_one_a_second(rates: SendRates, clock: Clock) -> None:
    assert [_try(rates, _cost()) for _ in range(4)] == [None, None, None, 1]
    clock.now += 1
    assert [_try(rates, _cost()) for _ in range(2)] == [None, 1]


def test_trying_during_the_wait_neither_shortens_nor_lengthens_it(rates: SendRates, clock: Clock) -> None:
    _try(rates, _cost(10))
    answers = []
    for _ in range(10):
        answers.append(_try(rates, _cost()))
        clock.now += 1
    # Ten out of three leave a debt of seven: one message is there again after eight seconds.
    assert answers == [8, 7, 6, 5, 4, 3, 2, 1, None, None]


def test_a_group_takes_twenty_a_minute(rates: SendRates, clock: Clock) -> None:
    answers = [_try(rates, _cost(chat_id=-1)) for _ in range(21)]
    assert answers == [None] * 20 + [3]
    clock.now += 3
    assert _try(rates, _cost(chat_id=-1)) is None
    assert rates.as_json()["refused"] == {"overall": 0, "private": 0, "group": 1}


def test_all_chats_together_take_thirty_a_second(rates: SendRates, clock: Clock) -> None:
    answers = [_try(rates, _cost(chat_id=number)) for number in range(1, 32)]
    assert answers == [None] * 30 + [1]
    clock.now += 1
    assert [_try(rates, _cost(chat_id=number)) for number in range(40, 70)] == [None] * 30
    assert rates.as_json()["refused"]["overall"] == 1


def test_over_a_long_time_no_more_goes_out_than_the_figures_say(rates: SendRates, clock: Clock) -> None:
    sent = 0
    for _ in range(1000):
        sent += _try(rates, _cost()) is None
        clock.now += 0.1
    assert 95 <= sent <= 103


def test_what_was_refused_takes_nothing_out(rates: SendRates, clock: Clock) -> None:
    for _ in range(100):
        _try(rates, _cost())
    clock.now += 3
    assert [_try(rates, _cost()) for _ in range(3)] == [None, None, None]


def test_without_the_switch_nothing_is_counted(clock: Clock) -> None:
    rates = SendRates(clock=clock)
    assert {_try(rates, _cost()) for _ in range(1000)} == {None}


def test_the_chats_counted_are_bounded(rates: SendRates) -> None:
    rates.switch(enforced=True, figures=RateFigures(overall_per_second=1_000_000))
    for chat_id in range(1, MAX_CHATS_COUNTED + 100):
        _try(rates, _cost(chat_id=chat_id))
    assert len(rates._chats) == MAX_CHATS_COUNTED


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person()
    sara.says("/start")
    return sara


def _send(sandbox: RunningSandbox, chat_id: int) -> Any:  # noqa: ANN401 - JSON
    response = sandbox.post("sendMessage", json={"chat_id": chat_id, "text": "x"})
    return response.json() | {"status": response.status_code}


def test_a_call_too_many_gets_the_real_refusal_and_leaves_no_message(
    sandbox: RunningSandbox, sara: Person
) -> None:
    sandbox.people.enforce_rates(private_per_second=0.1, private_burst=2)
    assert [_send(sandbox, sara.id)["status"] for _ in range(2)] == [200, 200]
    assert _send(sandbox, sara.id) == {
        "ok": False,
        "error_code": 429,
        "status": 429,
        "description": "Too Many Requests: retry after 10",
        "parameters": {"retry_after": 10},
    }
    assert len(sara.sees()) == 3
    assert sandbox.people.calls("sendMessage")[-1]["status"] == 429
    assert sandbox.people.rates()["refused"] == {"overall": 0, "private": 1, "group": 0}


def test_after_the_wait_it_goes_on(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.enforce_rates(private_per_second=1, private_burst=1)
    _send(sandbox, sara.id)
    refused = _send(sandbox, sara.id)
    assert refused["parameters"]["retry_after"] == 1
    time.sleep(1.01)
    assert _send(sandbox, sara.id)["ok"] is True


def test_one_chat_that_is_full_holds_no_other_back(sandbox: RunningSandbox, sara: Person) -> None:
    adam = sandbox.people.person("Adam")
    adam.says("/start")
    sandbox.people.enforce_rates(private_per_second=0.1, private_burst=1)
    assert [_send(sandbox, one)["status"] for one in (sara.id, sara.id, adam.id)] == [200, 429, 200]


def test_the_items_of_an_album_count_by_themselves(sandbox: RunningSandbox, sara: Person) -> None:
    sara.sends("photo")
    media = [{"type": "photo", "media": sara.sees()[-1].file_id}] * 3
    sandbox.people.enforce_rates(private_per_second=0.5, private_burst=3)
    sandbox.call("sendMediaGroup", chat_id=sara.id, media=media)
    assert _send(sandbox, sara.id)["parameters"]["retry_after"] == 2


def test_edits_count_in_groups_only(sandbox: RunningSandbox, sara: Person) -> None:
    group = sandbox.people.group()
    sandbox.people.enforce_rates(group_per_minute=2, private_per_second=0.01, private_burst=1)
    statuses = []
    for chat_id, number in itertools.product((group.id, sara.id), range(3)):
        if number == 0:
            message_id = sandbox.call("sendMessage", chat_id=chat_id, text="0")["message_id"]
        else:
            edit = {"chat_id": chat_id, "message_id": message_id, "text": str(number)}
            statuses.append(sandbox.post("editMessageText", json=edit).status_code)
    assert statuses == [200, 429, 200, 200]
    assert sandbox.people.rates()["refused"] == {"overall": 0, "private": 0, "group": 1}


def test_what_is_not_limited_goes_on_and_what_fails_counts_nothing(
    sandbox: RunningSandbox, sara: Person
) -> None:
    sandbox.people.enforce_rates(private_per_second=0.01, private_burst=1)
    assert sandbox.refused("sendMessage", chat_id=sara.id, text="")[0] == 400
    assert _send(sandbox, sara.id)["status"] == 200
    tap = sara.taps_data(2, "x")
    assert _send(sandbox, sara.id)["status"] == 429
    sandbox.call("answerCallbackQuery", callback_query_id=tap.callback_query_id)
    sandbox.call("getMe")
    sandbox.call("getUpdates")
    assert _send(sandbox, 1)["description"] == "Bad Request: chat not found"


def test_the_switch_begins_anew_and_goes_off_again(sandbox: RunningSandbox, sara: Person) -> None:
    figures: dict[str, Any] = {"overall_per_second": 5.0, "private_per_second": 0.01, "private_burst": 1.0}
    sandbox.people.enforce_rates(**figures)
    shown = sandbox.people.rates()
    assert shown == {
        "enforced": True,
        **figures,
        "group_per_minute": 20.0,
        "refused": {"overall": 0, "private": 0, "group": 0},
    }
    assert [_send(sandbox, sara.id)["status"] for _ in range(2)] == [200, 429]
    sandbox.people.enforce_rates(**figures)
    assert _send(sandbox, sara.id)["status"] == 200
    sandbox.people.enforce_rates(enforced=False)
    assert [_send(sandbox, sara.id)["status"] for _ in range(5)] == [200] * 5
    assert sandbox.people.rates()["enforced"] is False


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"enforced": "yes"},
        {"enforced": True, "overall_per_second": 0},
        {"enforced": True, "private_burst": 0.5},
        {"enforced": True, "group_per_minute": "20"},
        {"enforced": True, "speed": 1},
    ],
)
def test_rates_that_make_no_sense_are_refused(sandbox: RunningSandbox, body: dict[str, object]) -> None:
    with pytest.raises(SandboxRefused) as refusal:
        sandbox.people.control.put("/sandbox/rates", body)
    assert refusal.value.status == 400
    assert sandbox.people.rates()["enforced"] is False
