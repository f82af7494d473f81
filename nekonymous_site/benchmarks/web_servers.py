"""Which web server carries the webhook best: the same load on the same machine, one server after another."""

import os
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

from nekonymous_site.benchmarks.load_generator import LoadFigures, run_load
from nekonymous_site.benchmarks.made_up_people import empty_inboxes
from nekonymous_site.benchmarks.webhook_requests import WebhookRequests

START_SECONDS: Final = 30
WARM_UP_UPDATES: Final = 400
_WSGI: Final = "nekonymous_site.wsgi:application"

CANDIDATES: Final[dict[str, list[str]]] = {
    "granian 2 processes x 8 threads": ["granian", "2", "8"],
    "granian 2 processes x 4 threads": ["granian", "2", "4"],
    "granian 1 process x 8 threads": ["granian", "1", "8"],
    "gunicorn 2 processes x 8 threads": ["gunicorn", "2", "8"],
    "waitress 1 process x 16 threads": ["waitress", "1", "16"],
}


def measure_web_servers(
    makes: WebhookRequests, *, clients: int, updates: int
) -> Iterator[tuple[str, LoadFigures]]:
    """Run each candidate in turn under the same load. Fills the database; only for one made for this."""
    for name, (server, processes, threads) in CANDIDATES.items():
        port = _free_port()
        with _running(_command(server, processes=processes, threads=threads, port=port), port=port):
            warm_up = _conversations(makes, clients=clients, updates=WARM_UP_UPDATES)
            run_load(("127.0.0.1", port), warm_up, expected=200)
            requests = _conversations(makes, clients=clients, updates=updates)
            figures = run_load(("127.0.0.1", port), requests, expected=200)
        empty_inboxes()
        yield name, figures


def _conversations(makes: WebhookRequests, *, clients: int, updates: int) -> list[list[bytes]]:
    """For each client, newcomers who open a link and write, one after another.

    Nobody writes twice in a run: what the rates drop would cost nothing, and who has been there before less.
    """
    return [
        [
            makes.post(update)
            for person in (makes.newcomer() for _ in range(max(updates // clients // 2, 1)))
            for update in (makes.opening(person, recipient=person), makes.message(person))
        ]
        for _ in range(clients)
    ]


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


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
