"""Readiness: Postgres and migrations decide, Redis and the Bot API only degrade, nothing can hold it up."""

import http.server
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from django.db import connection, connections
from django.test import Client
from pytest_django.fixtures import Settings

from nekonymous_site import readiness
from nekonymous_site.readiness import ReadinessChecks, SingleFlightProbe, process_readiness
from outbox.telegram_client import forget_connections

# The checks have connections of their own, which see committed rows only.
pytestmark = pytest.mark.django_db(transaction=True)

NOBODY_THERE = "127.0.0.1:1"


class BotApi(http.server.BaseHTTPRequestHandler):
    calls: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        type(self).calls.append(self.path.rpartition("/")[2])
        body = json.dumps({"ok": True, "result": {"id": 1, "is_bot": True, "first_name": "neko"}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture(autouse=True)
def fresh_checks() -> Iterator[None]:
    process_readiness.cache_clear()
    forget_connections()
    yield
    process_readiness.cache_clear()
    forget_connections()


@pytest.fixture
def bot_api(settings: Settings) -> Iterator[list[str]]:
    BotApi.calls.clear()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), BotApi)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    settings.NEKO = replace(settings.NEKO, api_url=f"http://127.0.0.1:{server.server_address[1]}")
    yield BotApi.calls
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def hanging_address() -> Iterator[str]:
    """An address that takes connections into its backlog and never says a word."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=64)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def database_at(host: str, port: str) -> Iterator[None]:
    """Let new connections go elsewhere; the one of the test stays as it is."""
    words = connections.settings["default"]
    kept = {name: words[name] for name in ("HOST", "PORT")}
    words.update(HOST=host, PORT=port)
    try:
        yield
    finally:
        words.update(kept)


def checks_of(client: Client) -> tuple[int, dict[str, Any]]:
    answer = client.get("/ready")
    return answer.status_code, answer.json()


def test_everything_answers(client: Client, bot_api: list[str]) -> None:
    assert checks_of(client) == (
        200,
        {
            "status": "ready",
            "checks": {"postgres": "ok", "migrations": "ok", "redis": "ok", "bot_api": "ok"},
        },
    )
    assert bot_api == ["getMe"]


def test_without_redis_it_is_degraded(client: Client, bot_api: list[str], settings: Settings) -> None:
    settings.NEKO = replace(settings.NEKO, redis_url=f"redis://{NOBODY_THERE}/0")
    status, body = checks_of(client)
    assert (status, body["status"], body["checks"]["redis"]) == (200, "degraded", "failing")
    assert body["checks"]["bot_api"] == "ok"
    assert bot_api


def test_without_the_bot_api_it_is_degraded(client: Client, settings: Settings) -> None:
    settings.NEKO = replace(settings.NEKO, api_url=f"http://{NOBODY_THERE}")
    status, body = checks_of(client)
    assert (status, body["status"], body["checks"]["bot_api"]) == (200, "degraded", "failing")


def test_the_bot_api_is_asked_once_for_many_requests(client: Client, bot_api: list[str]) -> None:
    for _ in range(3):
        assert client.get("/ready").status_code == 200
    assert bot_api == ["getMe"]


@pytest.mark.usefixtures("bot_api")
def test_a_missing_migration_means_not_ready(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'outbox' RETURNING app, name, applied")
        removed = cursor.fetchall()
        assert removed
        try:
            answer = client.get("/ready")
        finally:
            cursor.executemany(
                "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, %s)", removed
            )
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    assert answer.json()["error"] == "unavailable"
    assert client.get("/ready").status_code == 200


@pytest.mark.usefixtures("bot_api")
def test_without_postgres_it_is_not_ready_and_is_again_when_postgres_is_back(client: Client) -> None:
    with database_at("127.0.0.1", "1"):
        assert checks_of(client)[0] == 503
    assert checks_of(client)[0] == 200


def test_hanging_services_hold_no_answer_and_pile_up_no_threads(
    settings: Settings, hanging_address: str
) -> None:
    settings.NEKO = replace(
        settings.NEKO, redis_url=f"redis://{hanging_address}/0", api_url=f"http://{hanging_address}"
    )
    host, _, port = hanging_address.partition(":")
    answers: list[tuple[int, float]] = []

    def ask() -> None:
        started = time.monotonic()
        status = Client().get("/ready").status_code
        answers.append((status, time.monotonic() - started))

    before = threading.active_count()
    with database_at(host, port):
        askers = [threading.Thread(target=ask) for _ in range(12)]
        for asker in askers:
            asker.start()
        most = before
        while any(asker.is_alive() for asker in askers):
            most = max(most, threading.active_count())
            askers[0].join(0.05)
    assert [status for status, _ in answers] == [503] * 12
    assert max(seconds for _, seconds in answers) < 4.5
    assert most < before + 12 + 8


@pytest.mark.usefixtures("bot_api")
def test_no_check_leaves_a_connection_behind(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    # Only the connections that the checks open from here on carry this name.
    monkeypatch.setitem(connections.settings["default"]["OPTIONS"], "application_name", "neko-ready-test")
    statuses = {client.get("/ready").status_code for _ in range(5)}
    assert statuses == {200}
    deadline = time.monotonic() + 5
    # The server forgets a closed connection a moment after the client.
    while (left := connections_named("neko-ready-test")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert left == 0


def connections_named(name: str) -> int:
    """How many there are beside the one that asks."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND pid <> pg_backend_pid()"
    with connection.cursor() as cursor:
        cursor.execute(query, [name])
        (number,) = cursor.fetchone()
        return int(number)


class TestSingleFlight:
    def test_callers_share_one_run_and_a_later_one_starts_anew(self) -> None:
        release, runs = threading.Event(), []

        def check() -> bool:
            runs.append(1)
            return release.wait(10)

        probe = SingleFlightProbe(check)
        flights = {id(probe.result()): probe.result() for _ in range(50)}
        assert (len(flights), len(runs)) == (1, 1)
        release.set()
        (flight,) = flights.values()
        assert flight.result(timeout=10) is True
        assert probe.result().result(timeout=10) is True
        assert len(runs) == 2

    @pytest.mark.parametrize("outcome", [True, False])
    def test_a_result_is_kept_failure_as_well(self, *, outcome: bool) -> None:
        runs: list[int] = []

        def check() -> bool:
            runs.append(1)
            return outcome

        probe = SingleFlightProbe(check, kept_seconds=60)
        assert [probe.result().result(timeout=10) for _ in range(5)] == [outcome] * 5
        assert len(runs) == 1

    def test_a_check_that_raises_has_failed(self, capsys: pytest.CaptureFixture[str]) -> None:
        def check() -> bool:
            raise ValueError("canary")

        assert SingleFlightProbe(check).result().result(timeout=10) is False
        assert "canary" not in capsys.readouterr().err

    def test_a_check_that_is_late_counts_as_failed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(readiness, "CHECK_LIMIT_SECONDS", 0.05)
        release = threading.Event()
        probes: dict[str, Callable[[], bool]] = {"postgres": lambda: True, "late": lambda: release.wait(10)}
        checks = ReadinessChecks({name: SingleFlightProbe(check) for name, check in probes.items()})
        assert checks.ask().checks == {"postgres": True, "late": False}
        release.set()
