"""What leaves for the Bot API stands in the body; what comes back as an error quotes nothing."""

import json
import threading
import traceback
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.conf import settings as django_settings
from product import free_port
from pytest_django.fixtures import Settings
from typing_extensions import override

from nekonymous_site.canaries.marks import find_kinds, make_mark
from outbox import telegram_client
from outbox.send_result import Failed, FailureKind, Sent
from outbox.telegram_client import BotApiCall, BotApiFailure

TOKEN = "7000000002:CANARY-token-CANARY-token-CANARY-tok"
TEXT = "CANARY-text-for-one-person-only"
PARAMETERS = {"chat_id": 8_123_456_789_012, "text": TEXT, "entities": []}
CALL = BotApiCall(method="sendMessage", parameters=PARAMETERS)


class _Recorder(BaseHTTPRequestHandler):
    """Answers every call as the Bot API would and keeps the request."""

    requests: list[tuple[str, str, bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.requests.append((self.command, self.path, body))
        answer = json.dumps({"ok": True, "result": {"message_id": 5}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    @override
    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def recorder(settings: Settings) -> Iterator[type[_Recorder]]:
    handler = type("Recorder", (_Recorder,), {"requests": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    _point_at(settings, f"http://127.0.0.1:{server.server_port}")
    yield handler
    telegram_client.forget_connections()
    server.shutdown()
    thread.join()
    server.server_close()


def _point_at(settings: Settings, api_url: str) -> None:
    settings.NEKO = replace(django_settings.NEKO, bot_token=TOKEN, api_url=api_url)
    telegram_client.forget_connections()


def test_parameters_travel_in_the_body_of_a_post(recorder: type[_Recorder]) -> None:
    assert telegram_client.send(CALL) == Sent(message_id=5)
    [(verb, path, body)] = recorder.requests
    assert (verb, path) == ("POST", f"/bot{TOKEN}/sendMessage")
    assert json.loads(body) == PARAMETERS


def test_a_refused_connection_quotes_nothing(settings: Settings) -> None:
    """The library's own exception would hold token, chat and text here."""
    _point_at(settings, f"http://127.0.0.1:{free_port()}")
    with pytest.raises(BotApiFailure) as caught:
        telegram_client.request(CALL)
    failure = caught.value
    assert failure.kind is FailureKind.TRANSIENT
    assert failure.__context__ is None
    assert failure.__cause__ is None
    shown = "".join(traceback.format_exception(failure)) + repr(failure.args) + repr(CALL)
    marks = [make_mark("value", value) for value in (TOKEN.partition(":")[2], TEXT, "8123456789012")]
    assert find_kinds(shown.encode(), marks=marks) == []
    assert telegram_client.send(CALL) == Failed(kind=FailureKind.TRANSIENT, never_left=True)
