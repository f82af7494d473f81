"""Delivery to a webhook: secret, order, tries, answers."""

import json
import threading
import time
from urllib.parse import urlencode

import pytest

from tests.sandbox.sandbox_process import RunningSandbox, await_that
from tests.sandbox.webhook_receiver import Answer, Delivery, WebhookReceiver

SECRET = "made-up_secret-1"


def _text_of(delivery: Delivery) -> str:
    return str(delivery.update.get("message", {}).get("text"))


def test_an_update_comes_as_json_with_the_secret(sandbox: RunningSandbox, receiver: WebhookReceiver) -> None:
    response = sandbox.post("setWebhook", json={"url": receiver.url, "secret_token": SECRET})
    assert response.json() == {"ok": True, "result": True, "description": "Webhook was set"}
    sent = sandbox.people.person("سارا").says("/start abc")
    delivery = receiver.await_deliveries(1)[0]
    assert delivery.headers["X-Telegram-Bot-Api-Secret-Token"] == SECRET
    assert delivery.headers["Content-Type"] == "application/json"
    assert delivery.update["update_id"] == sent.update_id
    assert delivery.update["message"]["entities"] == [{"type": "bot_command", "offset": 0, "length": 6}]


def test_what_waited_before_the_webhook_comes_too_unless_dropped(
    sandbox: RunningSandbox, receiver: WebhookReceiver
) -> None:
    sara = sandbox.people.person()
    sara.says("dropped")
    sandbox.call("deleteWebhook", drop_pending_updates=True)
    sara.says("kept")
    sandbox.call("setWebhook", url=receiver.url)
    assert _text_of(receiver.await_deliveries(1)[0]) == "kept"


def test_a_failed_update_holds_its_chat_back_and_no_other(
    sandbox: RunningSandbox, receiver: WebhookReceiver
) -> None:
    failures = iter([500, 503, 200])
    receiver.answer = lambda delivery: Answer(next(failures) if _text_of(delivery) == "first" else 200)
    sara, adam = sandbox.people.person("Sara"), sandbox.people.person("Adam")
    sandbox.call("setWebhook", url=receiver.url)
    sara.says("first")
    receiver.await_deliveries(1)
    sara.says("second")
    adam.says("elsewhere")
    texts = [_text_of(delivery) for delivery in receiver.await_deliveries(5)]
    assert [text for text in texts if text != "elsewhere"] == ["first", "first", "first", "second"]
    assert texts.index("elsewhere") < texts.index("second")


def test_the_first_failure_is_tried_again_at_once_and_the_next_after_a_second(
    sandbox: RunningSandbox, receiver: WebhookReceiver
) -> None:
    failures = iter([500, 500, 200])
    receiver.answer = lambda _delivery: Answer(next(failures))
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.person().says("again")
    first, second, third = (delivery.at for delivery in receiver.await_deliveries(3))
    assert second - first < 0.9
    assert third - second >= 0.9


def test_retry_after_is_obeyed(sandbox: RunningSandbox, receiver: WebhookReceiver) -> None:
    answers = iter([Answer(503, headers={"Retry-After": "1"}), Answer()])
    receiver.answer = lambda _delivery: next(answers)
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.person().says("later please")
    first, second = (delivery.at for delivery in receiver.await_deliveries(2))
    assert second - first >= 0.9


@pytest.mark.parametrize("status", [301, 404, 410, 500])
def test_only_a_2xx_answer_acknowledges(
    sandbox: RunningSandbox, receiver: WebhookReceiver, status: int
) -> None:
    answers = iter([status])
    receiver.answer = lambda _delivery: Answer(next(answers, 204), headers={"Location": receiver.url})
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.person().says("x")
    receiver.await_deliveries(2)
    last_error = sandbox.call("getWebhookInfo")["last_error_message"]
    assert last_error.startswith(f"Wrong response from the webhook: {status} ")


def test_taps_do_not_wait_behind_messages(sandbox: RunningSandbox, receiver: WebhookReceiver) -> None:
    sara = sandbox.people.person()
    sara.says("/start")
    markup = {"inline_keyboard": [[{"text": "x", "callback_data": "r:1"}]]}
    sandbox.call("sendMessage", chat_id=sara.id, text="tap me", reply_markup=markup)
    sandbox.call("deleteWebhook", drop_pending_updates=True)
    stuck = Answer(503, headers={"Retry-After": "600"})
    receiver.answer = lambda delivery: stuck if "message" in delivery.update else Answer()
    sandbox.call("setWebhook", url=receiver.url)
    sara.says("stuck")
    receiver.await_deliveries(1)
    sara.taps(sara.sees()[1], "r:1")
    query = receiver.await_deliveries(2)[1].update["callback_query"]
    assert query["data"] == "r:1"
    assert query["message"]["reply_markup"] == markup
    assert sandbox.call("getWebhookInfo")["pending_update_count"] == 1


def test_registering_anew_ends_a_long_wait(sandbox: RunningSandbox, receiver: WebhookReceiver) -> None:
    answers = iter([Answer(503, headers={"Retry-After": "600"}), Answer()])
    receiver.answer = lambda _delivery: next(answers)
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.person().says("x")
    receiver.await_deliveries(1)
    sandbox.call("setWebhook", url=receiver.url)
    receiver.await_deliveries(2)


def test_a_call_in_the_acknowledgement_is_run(sandbox: RunningSandbox, receiver: WebhookReceiver) -> None:
    def answer(delivery: Delivery) -> Answer:
        query = delivery.update.get("callback_query")
        if query is None:
            return Answer()
        call = {"method": "answerCallbackQuery", "callback_query_id": query["id"], "text": "باشه"}
        return Answer(body=json.dumps(call).encode(), headers={"Content-Type": "application/json"})

    receiver.answer = answer
    sandbox.call("setWebhook", url=receiver.url)
    sara = sandbox.people.person()
    sara.says("/start")
    sandbox.call("sendMessage", chat_id=sara.id, text="tap me")
    tap = sara.taps_data(sara.sees()[1], "anything")
    assert sara.awaits_toast(tap).text == "باشه"
    assert sandbox.people.calls("answerCallbackQuery")[0]["via"] == "webhook_answer"


@pytest.mark.parametrize("method", ["deleteWebhook", "SETWEBHOOK", "getMe", "logOut", "close"])
def test_some_calls_are_not_run_from_an_acknowledgement(
    sandbox: RunningSandbox, receiver: WebhookReceiver, method: str
) -> None:
    call = json.dumps({"method": method}).encode()
    receiver.answer = lambda _delivery: Answer(body=call, headers={"Content-Type": "application/json"})
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.forget_calls()
    sara = sandbox.people.person()
    sara.says("one")
    sara.says("two")
    receiver.await_deliveries(2)
    assert sandbox.call("getWebhookInfo")["url"] == receiver.url
    assert [call["method"] for call in sandbox.people.calls() if call["via"] == "webhook_answer"] == []


def test_a_call_in_an_acknowledgement_may_be_a_form_but_no_plain_text(
    sandbox: RunningSandbox, receiver: WebhookReceiver
) -> None:
    def answer(delivery: Delivery) -> Answer:
        call = urlencode({"method": "sendMessage", "chat_id": sara.id, "text": f"re: {_text_of(delivery)}"})
        kind = "application/x-www-form-urlencoded" if _text_of(delivery) == "two" else "text/plain"
        return Answer(body=call.encode(), headers={"Content-Type": kind})

    sara = sandbox.people.person()
    receiver.answer = answer
    sandbox.call("setWebhook", url=receiver.url)
    sara.says("one")
    sara.says("two")
    assert sara.awaits("re:").text == "re: two"


def test_no_more_requests_are_open_at_once_than_asked_for(
    sandbox: RunningSandbox, receiver: WebhookReceiver
) -> None:
    most_at_once, open_now, lock = 0, 0, threading.Lock()

    def answer(_delivery: Delivery) -> Answer:
        nonlocal most_at_once, open_now
        with lock:
            open_now += 1
            most_at_once = max(most_at_once, open_now)
        time.sleep(0.05)
        with lock:
            open_now -= 1
        return Answer()

    receiver.answer = answer
    for number in range(8):
        sandbox.people.person(f"P{number}").says("x")
    sandbox.call("setWebhook", url=receiver.url, max_connections=2)
    receiver.await_deliveries(8)
    assert most_at_once == 2
    assert sandbox.call("getWebhookInfo")["max_connections"] == 2


def test_nobody_at_the_webhook_is_noted_and_loses_nothing(
    sandbox: RunningSandbox, receiver: WebhookReceiver
) -> None:
    sandbox.call("setWebhook", url="http://127.0.0.1:9/hook")
    sandbox.people.person().says("kept")
    await_that(lambda: "last_error_date" in sandbox.call("getWebhookInfo"), what="a failed delivery")
    info = sandbox.call("getWebhookInfo")
    assert info["last_error_message"] == "Connection refused"
    assert info["pending_update_count"] == 1
    sandbox.call("setWebhook", url=receiver.url)
    assert _text_of(receiver.await_deliveries(1)[0]) == "kept"


@pytest.mark.parametrize("junk", [b"no json", b"[1]", b'{"no_id": {}}', b"\xff\xfe", b"[" * 50_000])
def test_a_body_made_by_hand_is_delivered_as_it_is(
    sandbox: RunningSandbox, receiver: WebhookReceiver, junk: bytes
) -> None:
    sandbox.call("setWebhook", url=receiver.url)
    sandbox.people.deliver_raw(junk)
    assert receiver.await_deliveries(1)[0].body == junk


def test_an_update_can_be_delivered_twice(sandbox: RunningSandbox, receiver: WebhookReceiver) -> None:
    sandbox.call("setWebhook", url=receiver.url)
    sent = sandbox.people.person().says("twice")
    receiver.await_deliveries(1)
    assert sent.update_id is not None
    sandbox.people.repeat_update(sent.update_id)
    first, second = receiver.await_deliveries(2)
    assert first.body == second.body


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"url": "https://example.com/hook"}, "bad webhook: the sandbox delivers to this machine only"),
        ({"url": "ftp://127.0.0.1/"}, "bad webhook: invalid URL specified"),
        ({"url": "http://127.0.0.1:99999/"}, "bad webhook: invalid URL specified"),
        ({"url": "http://127.0.0.1/", "secret_token": "!"}, "secret token contains unallowed characters"),
        ({"url": "http://127.0.0.1/", "secret_token": "x" * 257}, "secret token is too long"),
    ],
)
def test_a_bad_webhook_is_refused(sandbox: RunningSandbox, parameters: dict[str, str], reason: str) -> None:
    assert sandbox.refused("setWebhook", **parameters) == (400, f"Bad Request: {reason}")
