"""Which web server carries the webhook best: the same load on the same machine, one server after another."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings
from django.db import connection

import outbox.services
from nekonymous_site.benchmarks.webhook_load import LoadFigures, WebhookLoad
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import ChatId, TelegramUserId
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.workflows.register_actor import register_actor

START_SECONDS: Final = 30
RECIPIENTS: Final = 400
WARM_UP_UPDATES: Final = 400
_WSGI: Final = "nekonymous_site.wsgi:application"

CANDIDATES: Final[dict[str, list[str]]] = {
    "granian 2 processes x 8 threads": ["granian", "2", "8"],
    "granian 2 processes x 4 threads": ["granian", "2", "4"],
    "granian 1 process x 8 threads": ["granian", "1", "8"],
    "gunicorn 2 processes x 8 threads": ["gunicorn", "2", "8"],
    "waitress 1 process x 16 threads": ["waitress", "1", "16"],
}


def measure_web_servers(*, clients: int, updates: int) -> Iterator[tuple[str, LoadFigures]]:
    """Run each candidate in turn under the same load. Fills the database; only for one made for this."""
    slugs = _make_recipients()
    for name, (server, processes, threads) in CANDIDATES.items():
        port = _free_port()
        with _running(_command(server, processes=processes, threads=threads, port=port), port=port):
            url = f"http://127.0.0.1:{port}"
            _load(url, slugs).run(clients=clients, updates=WARM_UP_UPDATES)
            figures = _load(url, slugs).run(clients=clients, updates=updates)
        _empty_inboxes()
        yield name, figures


def _load(url: str, slugs: list[str]) -> WebhookLoad:
    return WebhookLoad(
        url=url, secret=settings.NEKO.webhook_secret or "", slugs=slugs, first_update_id=secrets.randbits(40)
    )


def _command(server: str, *, processes: str, threads: str, port: int) -> list[str]:
    address = f"127.0.0.1:{port}"
    match server:
        case "granian":
            options = ["--interface", "wsgi", "--port", str(port), "--workers", processes]
            options += ["--blocking-threads", threads, "--no-ws", "--log-level", "warning", _WSGI]
        case "gunicorn":
            options = ["--bind", address, "--workers", processes, "--threads", threads, _WSGI]
        case _:
            options = ["--listen", address, "--threads", threads, _WSGI]
    return [sys.executable, "-m", server, *options]


@contextmanager
def _running(command: list[str], *, port: int) -> Iterator[None]:
    process = subprocess.Popen(
        command, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_until_alive(port, process)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=START_SECONDS)


def _wait_until_alive(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("a web server did not come up")


def _make_recipients() -> list[str]:
    """Make people to write to, more than a load can fill before their inboxes are emptied."""
    with durable_transaction() as pipeline:
        outbox.services.record_bot(pipeline, bot_id=settings.NEKO.bot_id or 0, username="benchmark_bot")
        for number in range(RECIPIENTS):
            register_actor(
                pipeline,
                None,
                actor_hash=blind_tags.actor_hash(TelegramUserId(number + 1)),
                chat_id=ChatId(number + 1),
                language="en",
            )
    with connection.cursor() as cursor:
        cursor.execute("SELECT slug FROM accounts.public_link")
        return [slug for (slug,) in cursor.fetchall()]


def _empty_inboxes() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "TRUNCATE accounts.unread, tickets.ticket, outbox.intent, outbox.lane, outbox.update_receipt"
        )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
