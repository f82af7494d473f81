"""The webhook's door: who may speak, how much, and how the intake's answer is passed on."""

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from nekonymous_site import api
from nekonymous_site.bot.update_intake import IntakeAnswer
from nekonymous_site.webhook_request import MAX_UPDATE_BYTES

SECRET = "the-secret_of-the-webhook"
WEBHOOK = "/webhook/tg"

# Nothing here reaches the database: pytest-django would refuse it.


@pytest.fixture(autouse=True)
def known_secret(settings: Settings) -> None:
    settings.NEKO = replace(settings.NEKO, webhook_secret=SECRET)


def post(
    client: Client, body: bytes, *, secret: str | None = SECRET, environ: dict[str, Any] | None = None
) -> tuple[int, Any]:
    """Post an update; `environ` replaces parts of what the web server would hand over."""
    headers = {} if secret is None else {"x-telegram-bot-api-secret-token": secret}
    answer = client.post(
        WEBHOOK, data=body, content_type="application/json", headers=headers, **(environ or {})
    )
    return answer.status_code, json.loads(answer.content) if answer.content else None


class UnreadableBody(io.BytesIO):
    """Fails the test that reads it."""

    def read(self, _size: int | None = -1, /) -> bytes:
        pytest.fail("the body was read")


class BrokenBody(io.BytesIO):
    """A connection that breaks while the body is read."""

    def read(self, _size: int | None = -1, /) -> bytes:
        raise ConnectionResetError


class TestSecret:
    @pytest.mark.parametrize(
        "secret",
        [
            None,
            "",
            "wrong",
            SECRET[:-1],
            SECRET + "x",
            SECRET.upper(),
            "é" * 25,
            "🐈",
            f"{SECRET},{SECRET}",
            f" {SECRET}",
        ],
    )
    def test_whoever_does_not_bring_it_is_refused_unread(self, client: Client, secret: str | None) -> None:
        status, body = post(client, b"{}", secret=secret, environ={"wsgi.input": UnreadableBody()})
        assert (status, body["error"]) == (401, "unauthorized")

    def test_without_a_secret_of_its_own_the_door_stays_shut(
        self, client: Client, settings: Settings
    ) -> None:
        settings.NEKO = replace(settings.NEKO, webhook_secret=None)
        for given in (None, "", "None", SECRET):
            status, body = post(client, b"{}", secret=given, environ={"wsgi.input": UnreadableBody()})
            assert (status, body["error"]) == (503, "unavailable")

    def test_a_stranger_learns_nothing_from_the_size(self, client: Client) -> None:
        status, _ = post(client, b"x" * (MAX_UPDATE_BYTES + 1), secret="wrong")
        assert status == 401


class TestSize:
    def test_two_mebibytes_are_taken(self, client: Client) -> None:
        status, body = post(client, b"x" * MAX_UPDATE_BYTES)
        assert (status, list(body)) == (200, ["ignored"])

    def test_one_byte_more_is_too_large_and_is_not_read(self, client: Client) -> None:
        status, body = post(client, b"x" * (MAX_UPDATE_BYTES + 1), environ={"wsgi.input": UnreadableBody()})
        assert (status, body["error"]) == (413, "too_large")

    @pytest.mark.parametrize(("size", "status"), [(MAX_UPDATE_BYTES, 200), (MAX_UPDATE_BYTES + 1, 413)])
    def test_a_body_without_a_length_is_read_up_to_the_limit(
        self, client: Client, size: int, status: int
    ) -> None:
        stream = io.BytesIO(b"x" * (size + 1_000) if status == 413 else b"x" * size)
        environ = {"wsgi.input": stream, "wsgi.input_terminated": True, "CONTENT_LENGTH": ""}
        assert post(client, b"", environ=environ)[0] == status
        assert stream.tell() <= MAX_UPDATE_BYTES + 1

    def test_a_length_beyond_every_number_is_too_large(self, client: Client) -> None:
        assert post(client, b"{}", environ={"CONTENT_LENGTH": "9" * 40})[0] == 413

    def test_a_body_shorter_than_it_said_is_refused(self, client: Client) -> None:
        status, body = post(
            client, b"", environ={"CONTENT_LENGTH": "100", "wsgi.input": io.BytesIO(b'{"update_id": 1}')}
        )
        assert (status, body["error"]) == (400, "invalid_request")

    def test_a_body_longer_than_it_said_is_read_as_said(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        taken = record_intake(monkeypatch, IntakeAnswer(status=200))
        post(client, b"", environ={"CONTENT_LENGTH": "2", "wsgi.input": io.BytesIO(b"{}GARBAGE")})
        assert taken == [b"{}"]

    def test_a_connection_that_breaks_is_no_update(self, client: Client) -> None:
        assert post(client, b"{}", environ={"wsgi.input": BrokenBody()})[0] == 400


def record_intake(monkeypatch: pytest.MonkeyPatch, answer: IntakeAnswer) -> list[bytes]:
    taken: list[bytes] = []

    def take(raw: bytes) -> IntakeAnswer:
        taken.append(raw)
        return answer

    monkeypatch.setattr(api, "take_update", take)
    return taken


class TestAnswer:
    """The real intake's own answers are tested with it; here, that each kind passes the door unchanged."""

    def test_the_intake_gets_the_body_as_it_came(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        taken = record_intake(monkeypatch, IntakeAnswer(status=200))
        raw = b'\xef\xbb\xbf {"update_id": 1}\x00\xff'
        assert post(client, raw) == (200, None)
        assert taken == [raw]

    def test_a_body_of_the_intake_is_answered_as_json(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        record_intake(monkeypatch, IntakeAnswer(status=200, body={"ignored": "a_list"}))
        assert post(client, b"[]") == (200, {"ignored": "a_list"})

    @pytest.mark.parametrize(("seconds", "header"), [(5, "5"), (None, "30")])
    def test_an_update_that_must_come_again_says_when(
        self, client: Client, monkeypatch: pytest.MonkeyPatch, seconds: int | None, header: str
    ) -> None:
        record_intake(monkeypatch, IntakeAnswer(status=503, retry_after_seconds=seconds))
        headers = {"x-telegram-bot-api-secret-token": SECRET}
        answer = client.post(WEBHOOK, data=b"{}", content_type="application/json", headers=headers)
        assert (answer.status_code, answer["Retry-After"]) == (503, header)
        assert answer.json()["error"] == "unavailable"

    @pytest.mark.parametrize("junk", [b"", b"not json", b"[]", b'"text"', b"\xff\xfe", b"[" * 100_000])
    def test_junk_with_the_secret_is_ignored_with_200(self, client: Client, junk: bytes) -> None:
        status, body = post(client, junk)
        assert (status, list(body)) == (200, ["ignored"])
