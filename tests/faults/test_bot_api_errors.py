"""Every way in which a call to the Bot API can fail, made by real answers, and the closed kind it becomes."""

import json
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.conf import settings as django_settings
from pytest_django.fixtures import Settings
from typing_extensions import override

from nekonymous_site.sandbox.people import Person
from outbox import telegram_client
from outbox.send_result import Failed, FailureKind, PayloadRefusal, SendResult, Sent
from outbox.telegram_client import BotApiCall, BotApiFailure, request, send
from tests.sandbox.sandbox_process import RunningSandbox

CANARY = "canary-4711"

Serve = Callable[[int, bytes], None]


@pytest.fixture
def sara(bot_at_sandbox: RunningSandbox) -> Person:
    person = bot_at_sandbox.people.person("Sara")
    person.says("hello")
    return person


def _say(person: Person, text: str = CANARY) -> BotApiCall:
    return BotApiCall(method="sendMessage", parameters={"chat_id": person.id, "text": text})


def _heard(person: Person) -> int:
    return sum(message.from_bot for message in person.sees())


@pytest.mark.parametrize(
    ("fault", "result", "arrived"),
    [
        ("rate_limited", Failed(kind=FailureKind.RATE_LIMITED, retry_after_seconds=7), 0),
        ("rate_limited_without_parameters", Failed(kind=FailureKind.RATE_LIMITED), 0),
        ("server_error_json", Failed(kind=FailureKind.TRANSIENT), 0),
        ("server_error_html", Failed(kind=FailureKind.UNKNOWN, probably_undone=True), 0),
        ("unauthorized", Failed(kind=FailureKind.AUTH), 0),
        ("forbidden", Failed(kind=FailureKind.PERMISSION), 0),
        ("chat_not_found", Failed(kind=FailureKind.NOT_FOUND), 0),
        ("reset_before", Failed(kind=FailureKind.UNKNOWN), 0),
        ("reset_after", Failed(kind=FailureKind.UNKNOWN), 1),
        ("ok_html", Failed(kind=FailureKind.UNKNOWN), 1),
        ("ok_without_result", Sent(), 1),
    ],
)
def test_each_fault_becomes_its_kind(
    bot_at_sandbox: RunningSandbox, sara: Person, fault: str, result: SendResult, arrived: int
) -> None:
    bot_at_sandbox.people.inject_fault(fault, method="sendMessage", retry_after_seconds=7)
    assert send(_say(sara)) == result
    assert _heard(sara) == arrived
    assert isinstance(send(_say(sara)), Sent), "the next call is a call like any other"


def test_an_answer_with_what_no_client_knows_is_a_success(
    bot_at_sandbox: RunningSandbox, sara: Person
) -> None:
    bot_at_sandbox.people.inject_fault("unknown_union_in_answer")
    result = send(_say(sara))
    assert isinstance(result, Sent)
    assert result.message_id == sara.sees()[-1].message_id


def test_a_call_that_hangs_is_unknown(bot_at_sandbox: RunningSandbox, sara: Person) -> None:
    bot_at_sandbox.people.inject_fault("hang_then_delivered", hang_seconds=0.6)
    with pytest.raises(BotApiFailure) as failure:
        request(_say(sara), timeout_seconds=0.2)
    assert failure.value.kind is FailureKind.UNKNOWN
    sara.awaits(CANARY, seconds=5)


@pytest.mark.parametrize(
    ("parameters", "kind"),
    [
        ({"text": " "}, FailureKind.INVALID_PAYLOAD),
        ({"text": "x" * 5000}, FailureKind.INVALID_PAYLOAD),
        (
            {"text": "x", "entities": [{"type": "bold", "offset": 5, "length": 1}]},
            FailureKind.INVALID_PAYLOAD,
        ),
        ({"text": "x", "chat_id": 987654}, FailureKind.NOT_FOUND),
        ({"text": "x", "chat_id": "nobody"}, FailureKind.NOT_FOUND),
    ],
)
def test_a_payload_that_cannot_be_shown_is_told_from_a_chat_that_is_not_there(
    sara: Person, parameters: dict[str, object], kind: FailureKind
) -> None:
    call = BotApiCall(method="sendMessage", parameters={"chat_id": sara.id} | parameters)
    result = send(call)
    assert isinstance(result, Failed)
    assert result.kind is kind


def test_somebody_who_blocked_the_bot_has_not_permitted_it(sara: Person) -> None:
    sara.blocks_bot()
    assert send(_say(sara)) == Failed(kind=FailureKind.PERMISSION)


def test_a_wrong_token_is_an_auth_failure(bot_at_sandbox: RunningSandbox, settings: Settings) -> None:
    settings.NEKO = replace(django_settings.NEKO, bot_token="7000000001:another-made-up-secret")
    call = BotApiCall(method="sendMessage", parameters={"chat_id": 1, "text": "x"})
    assert send(call) == Failed(kind=FailureKind.AUTH)
    assert bot_at_sandbox.people.calls("sendMessage") == []


def _use_address(settings: Settings, address: str) -> None:
    settings.NEKO = replace(django_settings.NEKO, api_url=address)
    telegram_client.forget_connections()


@pytest.fixture
def unused_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else gets it, and it refuses
        yield taken.getsockname()[1]


@pytest.mark.usefixtures("bot_at_sandbox")
def test_what_never_left_is_transient(settings: Settings, unused_port: int) -> None:
    _use_address(settings, f"http://127.0.0.1:{unused_port}")
    call = BotApiCall(method="sendMessage", parameters={"chat_id": 1, "text": CANARY})
    assert send(call) == Failed(kind=FailureKind.TRANSIENT, never_left=True)


@pytest.fixture
def serve(bot_at_sandbox: RunningSandbox, settings: Settings) -> Iterator[Serve]:
    """Answer every call with one status and one body, from a server that is no Bot API."""
    answer: list[tuple[int, bytes]] = []

    class Canned(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            status, body = answer[-1]
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, *_args: object) -> None:
            return

    assert bot_at_sandbox.base_url
    server = HTTPServer(("127.0.0.1", 0), Canned)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    _use_address(settings, f"http://127.0.0.1:{server.server_port}")
    yield lambda status, body: answer.append((status, body))
    server.shutdown()
    thread.join(timeout=5)
    server.server_close()


def _refusal(code: object, description: object = "x", **more: object) -> bytes:
    return json.dumps({"ok": False, "error_code": code, "description": description} | more).encode()


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, _refusal(400, "Bad Request: message is not modified: the same"), FailureKind.CONFLICT),
        (400, _refusal(400, "Bad Request: message to edit not found"), FailureKind.NOT_FOUND),
        (400, _refusal(400, "Bad Request: message to be replied not found"), FailureKind.INVALID_PAYLOAD),
        (400, _refusal(400, "Bad Request: PEER_ID_INVALID"), FailureKind.NOT_FOUND),
        (400, _refusal(400, "Bad Request: VOICE_MESSAGES_FORBIDDEN"), FailureKind.INVALID_PAYLOAD),
        (403, _refusal(403, "Forbidden: user is deactivated"), FailureKind.PERMISSION),
        (
            403,
            _refusal(403, "Forbidden: bot can't initiate conversation with a user"),
            FailureKind.PERMISSION,
        ),
        (404, _refusal(404, "Not Found"), FailureKind.AUTH),
        (409, _refusal(409, "Conflict: terminated by other getUpdates request"), FailureKind.CONFLICT),
        (413, _refusal(413, "Request Entity Too Large"), FailureKind.INVALID_PAYLOAD),
        (500, _refusal(500, "Internal Server Error"), FailureKind.TRANSIENT),
        (504, _refusal(504), FailureKind.UNKNOWN),
        (413, b"<html>", FailureKind.INVALID_PAYLOAD),
        (429, b"<html>", FailureKind.RATE_LIMITED),
        (500, b"", FailureKind.TRANSIENT),
        (502, b"<html>", FailureKind.UNKNOWN),
        (503, b"\xff\xfe", FailureKind.TRANSIENT),
        (504, b"<html>", FailureKind.UNKNOWN),
        (200, b"", FailureKind.UNKNOWN),
        (200, b"[]", FailureKind.UNKNOWN),
        (200, b"null", FailureKind.UNKNOWN),
        (200, b"{}", FailureKind.UNKNOWN),
        (200, b'{"ok": false}', FailureKind.UNKNOWN),
        (400, _refusal(None, None), FailureKind.UNKNOWN),
        (400, _refusal("400", ["x"]), FailureKind.UNKNOWN),
    ],
)
def test_every_answer_becomes_one_kind(serve: Serve, status: int, body: bytes, kind: FailureKind) -> None:
    serve(status, body)
    result = send(BotApiCall(method="sendMessage", parameters={"chat_id": 1, "text": CANARY}))
    assert isinstance(result, Failed)
    assert result.kind is kind


@pytest.mark.parametrize(
    ("status", "body", "refusal"),
    [
        (400, _refusal(400, "Bad Request: VOICE_MESSAGES_FORBIDDEN"), PayloadRefusal.READER_FORBIDS),
        (
            400,
            _refusal(400, "Bad Request: wrong file identifier/HTTP URL specified"),
            PayloadRefusal.FILE_GONE,
        ),
        (
            400,
            _refusal(400, "Bad Request: wrong remote file identifier specified: Wrong padding in the string"),
            PayloadRefusal.FILE_GONE,
        ),
        (400, _refusal(400, "Bad Request: FILE_REFERENCE_EXPIRED"), PayloadRefusal.FILE_GONE),
        (
            400,
            _refusal(400, "Bad Request: wrong file_id or the file is temporarily unavailable"),
            PayloadRefusal.OTHER,
        ),
        (400, _refusal(400, "Bad Request: message text is empty"), PayloadRefusal.OTHER),
        (413, b"<html>", PayloadRefusal.OTHER),
        (403, _refusal(403, "Forbidden: wrong file identifier"), None),
    ],
)
def test_a_refused_content_is_told_from_one_that_can_never_be_shown(
    serve: Serve, status: int, body: bytes, refusal: PayloadRefusal | None
) -> None:
    serve(status, body)
    result = send(BotApiCall(method="sendMessage", parameters={"chat_id": 1, "text": CANARY}))
    assert isinstance(result, Failed)
    assert result.payload_refusal is refusal


@pytest.mark.parametrize(
    ("parameters", "seconds"),
    [
        ({"retry_after": 9}, 9),
        ({"retry_after": "9"}, None),
        ({"retry_after": True}, None),
        ({"retry_after": -9}, None),
        ({"retry_after": 10**15}, 86_400),
        ({"retry_after": 0}, None),
        ([], None),
        (None, None),
    ],
)
def test_a_rate_limit_waits_as_long_as_it_says_if_it_says_something_sensible(
    serve: Serve, parameters: object, seconds: int | None
) -> None:
    serve(429, _refusal(429, "Too Many Requests", parameters=parameters))
    result = send(BotApiCall(method="sendMessage", parameters={"chat_id": 1, "text": CANARY}))
    assert result == Failed(kind=FailureKind.RATE_LIMITED, retry_after_seconds=seconds)


@pytest.mark.parametrize(
    ("status", "body"),
    [(400, _refusal(400, CANARY)), (502, CANARY.encode()), (200, CANARY.encode()), (200, b"{}")],
)
def test_a_failure_tells_its_kind_and_nothing_else(serve: Serve, status: int, body: bytes) -> None:
    serve(status, body)
    with pytest.raises(BotApiFailure) as failure:
        request(BotApiCall(method="sendMessage", parameters={"chat_id": 4711, "text": CANARY}))
    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None
    printed = "".join(traceback.format_exception(failure.value)) + repr(failure.value.__dict__)
    assert CANARY not in printed
    assert str(django_settings.NEKO.bot_token) not in printed


def test_no_parameter_travels_in_the_address(bot_at_sandbox: RunningSandbox, sara: Person) -> None:
    send(_say(sara))
    [call] = bot_at_sandbox.people.calls("sendMessage")
    assert call["params"] == {"chat_id": sara.id, "text": CANARY}
    assert CANARY not in repr(_say(sara))
