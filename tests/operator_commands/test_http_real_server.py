"""The product's web server itself: bodies as they travel, setup mode, and no worker left after a kill -9."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from django.conf import settings
from django.db import connection

from nekonymous_site.environment import CHECKOUT
from nekonymous_site.webhook_request import MAX_UPDATE_BYTES

pytestmark = pytest.mark.processes

SECRET = "the-secret_of-the-webhook"
SECRET_HEADER = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
START_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class WebServer:
    process: subprocess.Popen[bytes]
    port: int

    def url(self, route: str) -> str:
        return f"http://127.0.0.1:{self.port}{route}"


def wait_until(condition: Callable[[], bool], *, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return int(server.getsockname()[1])


def answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=2).ok
    except requests.ConnectionError:
        return False


def children_of(process_id: int) -> list[int]:
    """Whatever thread started them."""
    threads = Path(f"/proc/{process_id}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


def is_alive(process_id: int) -> bool:
    """A zombie only waits to be counted by its new parent."""
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(") ")[2]
    except FileNotFoundError:
        return False
    return not state.startswith("Z")


@contextmanager
def running(environ: dict[str, str]) -> Iterator[WebServer]:
    port = free_port()
    command = ["granian", "--interface", "wsgi", "nekonymous_site.wsgi:application", "--host", "127.0.0.1"]
    process = subprocess.Popen(
        [sys.executable, "-m", *command, "--port", str(port), "--workers", "1", "--respawn-failed-workers"],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], **environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        server = WebServer(process=process, port=port)
        wait_until(
            lambda: answers(server.url("/healthz")), seconds=START_SECONDS, what="the server did not start"
        )
        yield server
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def server(django_db_setup: None) -> Iterator[WebServer]:
    """A whole server on this test's database."""
    url = urlsplit(str(settings.NEKO.database_url))
    environ = {
        "DATABASE_URL": url._replace(path=f"/{connection.settings_dict['NAME']}").geturl(),
        "REDIS_URL": str(settings.NEKO.redis_url),
        "NEKO_MASTER_KEYS": str(settings.NEKO.master_keys),
        "NEKO_HMAC_PEPPER": str(settings.NEKO.hmac_pepper),
        "TELEGRAM_BOT_TOKEN": str(settings.NEKO.bot_token),
        "TELEGRAM_WEBHOOK_SECRET": SECRET,
        "TELEGRAM_API_URL": "http://127.0.0.1:1",
        "NEKO_UPDATES": "webhook",
        "NEKO_DATA_DIR": "/nonexistent",
    }
    with running(environ) as started:
        yield started


class TestBodies:
    @pytest.mark.parametrize(
        ("size", "status"), [(MAX_UPDATE_BYTES, 200), (MAX_UPDATE_BYTES + 1, 413), (9_000_000, 413)]
    )
    @pytest.mark.parametrize("chunked", ["length", "chunked"])
    def test_the_limit_holds_with_and_without_a_length(
        self, server: WebServer, size: int, status: int, chunked: str
    ) -> None:
        pieces = (b"x" * 65_536 for _ in range(size // 65_536))
        rest = b"x" * (size % 65_536)
        body = (piece for source in (pieces, (rest,)) for piece in source if piece)
        data = body if chunked == "chunked" else b"".join(body)
        answer = requests.post(server.url("/webhook/tg"), data=data, headers=SECRET_HEADER, timeout=20)
        assert answer.status_code == status
        assert answer.json().get("error") == ("too_large" if status == 413 else None)

    def test_a_chunked_update_reaches_the_intake_whole(self, server: WebServer) -> None:
        # A list is told from something that is no JSON only by reading it to its end.
        body = (piece for piece in (b'["', b"x" * 100_000, b'"]'))
        answer = requests.post(server.url("/webhook/tg"), data=body, headers=SECRET_HEADER, timeout=20)
        broken = requests.post(server.url("/webhook/tg"), data=b'["', headers=SECRET_HEADER, timeout=20)
        assert (answer.status_code, broken.status_code) == (200, 200)
        assert answer.json()["ignored"] != broken.json()["ignored"]

    def test_a_body_cut_short_is_no_update(self, server: WebServer) -> None:
        head = (
            f"POST /webhook/tg HTTP/1.1\r\nHost: localhost\r\nX-Telegram-Bot-Api-Secret-Token: {SECRET}\r\n"
        )
        with closing(socket.create_connection(("127.0.0.1", server.port), timeout=10)) as link:
            link.sendall(f'{head}Content-Length: 100\r\n\r\n{{"update_id": 1'.encode())
            link.shutdown(socket.SHUT_WR)
            assert link.recv(64).split(b" ")[1:2] in ([b"400"], [])

    def test_a_header_beyond_ascii_is_a_stranger(self, server: WebServer) -> None:
        headers = {"X-Telegram-Bot-Api-Secret-Token": "é".encode()}
        answer = requests.post(server.url("/webhook/tg"), data=b"{}", headers=headers, timeout=20)
        assert (answer.status_code, answer.json()["error"]) == (401, "unauthorized")

    def test_head_has_the_headers_and_no_body(self, server: WebServer) -> None:
        answer = requests.head(server.url("/healthz"), timeout=20)
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["Cache-Control"] == "no-store"

    def test_it_is_ready_on_a_migrated_database(self, server: WebServer) -> None:
        answer = requests.get(server.url("/ready"), timeout=20)
        assert (answer.status_code, answer.json()["status"]) == (200, "degraded")


def test_production_without_names_lives_on_in_setup_mode() -> None:
    with running({"NEKO_ENV": "production", "NEKO_DATA_DIR": "/nonexistent"}) as server:
        status = requests.get(server.url("/api/status"), timeout=20).json()
        assert (status["mode"], "NEKO_MASTER_KEYS" in status["missing"]) == ("setup", True)
        assert requests.get(server.url("/ready"), timeout=20).status_code == 503
        assert requests.post(server.url("/webhook/tg"), data=b"{}", timeout=20).status_code == 404


@pytest.mark.skipif(sys.platform != "linux", reason="the parent-death signal is Linux's")
def test_a_killed_server_leaves_no_worker() -> None:
    with running({"NEKO_ENV": "production", "NEKO_DATA_DIR": "/nonexistent"}) as server:
        workers = children_of(server.process.pid)
        assert workers
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        wait_until(
            lambda: not any(is_alive(worker) for worker in workers),
            seconds=10,
            what="a worker outlived its server",
        )
        assert not answers(server.url("/healthz"))
