"""Each kind of fault, and whom it meets."""

import time
from http import HTTPStatus

import pytest
import requests

from nekonymous_site.sandbox.people import Person, SandboxRefused
from tests.sandbox.sandbox_process import RunningSandbox


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person()
    sara.says("/start")
    return sara


def _send(sandbox: RunningSandbox, person: Person, **content: float) -> requests.Response:
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Connection"] = "close"
        return session.post(
            f"{sandbox.base_url}/bot{sandbox.token}/sendMessage",
            json={"chat_id": person.id, "text": "hello"},
            timeout=content.get("timeout", 10),
        )


def _bot_texts(person: Person) -> list[str]:
    return [message.text for message in person.sees() if message.from_bot]


@pytest.mark.parametrize(
    ("kind", "status", "body"),
    [
        (
            "rate_limited",
            429,
            {"description": "Too Many Requests: retry after 7", "parameters": {"retry_after": 7}},
        ),
        ("rate_limited_without_parameters", 429, {"description": "Too Many Requests: retry after 7"}),
        ("server_error_json", 500, {"description": "Internal Server Error"}),
        ("unauthorized", 401, {"description": "Unauthorized"}),
        ("forbidden", 403, {"description": "Forbidden: bot was blocked by the user"}),
        ("chat_not_found", 400, {"description": "Bad Request: chat not found"}),
        ("content_refused", 400, {"description": "Bad Request: MEDIA_EMPTY"}),
        ("file_gone", 400, {"description": "Bad Request: wrong file identifier/HTTP URL specified"}),
    ],
)
def test_a_refusing_fault_answers_and_sends_nothing(
    sandbox: RunningSandbox, sara: Person, kind: str, status: int, body: dict[str, object]
) -> None:
    sandbox.people.inject_fault(kind, method="sendMessage", retry_after_seconds=7)
    response = _send(sandbox, sara)
    assert response.status_code == status
    assert response.json() == {"ok": False, "error_code": status} | body
    assert _bot_texts(sara) == []
    assert _send(sandbox, sara).status_code == 200


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_error_has_the_status_asked_for(sandbox: RunningSandbox, sara: Person, status: int) -> None:
    sandbox.people.inject_fault("server_error_json", status=status)
    sandbox.people.inject_fault("server_error_html", status=status)
    as_json, as_html = _send(sandbox, sara), _send(sandbox, sara)
    phrase = HTTPStatus(status).phrase
    assert as_json.json() == {"ok": False, "error_code": status, "description": phrase}
    assert (as_json.status_code, as_html.status_code) == (status, status)
    assert f"{status} {phrase}" in as_html.text
    assert _bot_texts(sara) == []


def test_an_error_may_say_nothing(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("error_without_details")
    response = _send(sandbox, sara)
    assert (response.status_code, response.json()) == (400, {"ok": False})
    assert _bot_texts(sara) == []


def test_a_success_may_be_a_list(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("json_list")
    assert _send(sandbox, sara).json()[0]["result"]["text"] == "hello"
    assert _bot_texts(sara) == ["hello"]


def test_a_gateway_error_is_html(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("server_error_html")
    response = _send(sandbox, sara)
    assert (response.status_code, response.headers["Content-Type"]) == (502, "text/html; charset=utf-8")
    assert "502 Bad Gateway" in response.text
    assert _bot_texts(sara) == []


@pytest.mark.parametrize(("kind", "sent"), [("reset_before", []), ("reset_after", ["hello"])])
def test_a_reset_comes_before_or_after_the_message_is_sent(
    sandbox: RunningSandbox, sara: Person, kind: str, sent: list[str]
) -> None:
    sandbox.people.inject_fault(kind)
    with pytest.raises(requests.ConnectionError, match="reset by peer"):
        _send(sandbox, sara)
    assert _bot_texts(sara) == sent


def test_an_unreadable_success_has_sent_the_message(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("ok_html")
    response = _send(sandbox, sara)
    assert response.status_code == 200
    assert response.text.startswith("<html>")
    assert _bot_texts(sara) == ["hello"]


def test_a_success_may_lack_its_result(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("ok_without_result")
    assert _send(sandbox, sara).json() == {"ok": True}
    assert _bot_texts(sara) == ["hello"]


def test_a_success_may_hold_what_no_client_knows(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("unknown_union_in_answer")
    result = _send(sandbox, sara).json()["result"]
    assert result["forward_origin"]["type"] == "origin_of_a_later_version"
    assert _bot_texts(sara) == ["hello"]
    assert "forward_origin" not in sara.sees()[-1].raw


def test_a_hanging_call_is_processed_though_its_caller_has_left(
    sandbox: RunningSandbox, sara: Person
) -> None:
    sandbox.people.inject_fault("hang_then_delivered", hang_seconds=0.6)
    started = time.monotonic()
    with pytest.raises(requests.ReadTimeout):
        _send(sandbox, sara, timeout=0.2)
    assert _bot_texts(sara) == []
    sara.awaits("hello", seconds=5)
    assert time.monotonic() - started >= 0.6


def test_a_call_may_hang_and_get_lost(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("hang_then_not_delivered", hang_seconds=0.3)
    started = time.monotonic()
    with pytest.raises(requests.ConnectionError, match="reset by peer"):
        _send(sandbox, sara)
    assert time.monotonic() - started >= 0.3
    assert _bot_texts(sara) == []


def test_the_first_calls_may_go_well(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("server_error_json", method="sendMessage", after=2, count=2)
    sandbox.call("getMe")
    assert [_send(sandbox, sara).status_code for _ in range(5)] == [200, 200, 500, 500, 200]


def test_chance_hits_the_same_calls_with_the_same_seed(sandbox: RunningSandbox, sara: Person) -> None:
    runs = []
    for seed in (7, 7, 8):
        sandbox.people.clear_faults()
        sandbox.people.inject_fault("server_error_json", probability=0.5, seed=seed, count=100)
        runs.append([_send(sandbox, sara).status_code for _ in range(20)])
    assert runs[0] == runs[1] != runs[2]
    assert set(runs[0]) == {200, 500}


def test_without_a_chance_nothing_happens_and_the_rule_stays(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("server_error_json", probability=0)
    assert _send(sandbox, sara).status_code == 200
    (rule,) = sandbox.people.control.get("/sandbox/faults")["faults"]
    assert (rule["kind"], rule["count"], rule["probability"]) == ("server_error_json", 1, 0)


def test_a_rule_that_spares_a_call_leaves_it_to_the_next_one(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("server_error_json", after=1)
    sandbox.people.inject_fault("forbidden")
    assert [_send(sandbox, sara).status_code for _ in range(3)] == [403, 500, 200]


def test_a_fault_meets_only_its_method_and_chat_and_count(sandbox: RunningSandbox, sara: Person) -> None:
    adam = sandbox.people.person("Adam")
    adam.says("/start")
    sandbox.people.inject_fault("server_error_json", method="sendmessage", chat_id=sara.id, count=2)
    assert sandbox.post("getMe").status_code == 200
    assert _send(sandbox, adam).status_code == 200
    assert [_send(sandbox, sara).status_code for _ in range(3)] == [500, 500, 200]


def test_faults_can_be_taken_back(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.inject_fault("unauthorized", count=1000)
    sandbox.people.clear_faults()
    assert _send(sandbox, sara).status_code == 200


def test_calls_are_recorded_with_what_became_of_them(sandbox: RunningSandbox, sara: Person) -> None:
    sandbox.people.forget_calls()
    sandbox.people.inject_fault("forbidden")
    _send(sandbox, sara)
    _send(sandbox, sara)
    sandbox.refused("sendMessage", chat_id=1, text="x")
    calls = sandbox.people.calls("sendMessage")
    assert [(call["status"], call["fault"]) for call in calls] == [
        (403, "forbidden"),
        (200, None),
        (400, None),
    ]
    assert calls[0]["params"] == {"chat_id": sara.id, "text": "hello"}
    assert calls[2]["description"] == "Bad Request: chat not found"


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "gremlins"},
        {"kind": "forbidden", "count": 0},
        {"kind": "forbidden", "method": "x"},
        {"kind": "forbidden", "after": -1},
        {"kind": "forbidden", "probability": 1.1},
        {"kind": "forbidden", "probability": True},
        {"kind": "forbidden", "status": 500},
        {"kind": "forbidden", "update_kind": "message"},
        {"kind": "forbidden", "hang_second": 5},
        {"kind": "server_error_json", "status": 418},
        {"kind": "late_update", "method": "sendMessage"},
        {"kind": "late_update", "late_seconds": 3601},
    ],
)
def test_a_fault_that_cannot_be_is_refused(sandbox: RunningSandbox, fault: dict[str, object]) -> None:
    with pytest.raises(SandboxRefused) as refusal:
        sandbox.people.control.post("/sandbox/faults", fault)
    assert refusal.value.status == 400
