"""A sandbox in a process of its own, and the bot's side of it."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests

from nekonymous_site.sandbox.people import Sandbox

REPOSITORY = Path(__file__).resolve().parents[2]
TOKEN = "7000000001:AA-made-up-secret-of-a-made-up-bot"
START_SECONDS = 20.0
STOP_SECONDS = 5.0
WAIT_SECONDS = 10.0


def sandbox_command(state: Path, *options: str, port: int = 0, token: str = TOKEN) -> list[str]:
    """The command line that starts a sandbox."""
    fixed = ["--port", str(port), "--token", token, "--state", str(state)]
    return [sys.executable, "-m", "nekonymous_site.sandbox", *fixed, *options]


def sandbox_environment(**changes: str) -> dict[str, str]:
    """The environment of a sandbox that may start."""
    return {name: value for name, value in os.environ.items() if not name.startswith("NEKO_")} | changes


def await_that(condition: Callable[[], bool], *, what: str) -> None:
    """Ask again and again until the condition holds, for a bounded time."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"in vain: {what}"
        time.sleep(0.01)


class RunningSandbox:
    """A started sandbox process; stop it, kill it, or call it as the bot does."""

    def __init__(self, state: Path, *options: str, token: str = TOKEN) -> None:
        self.token = token
        self.process = subprocess.Popen(
            sandbox_command(state, *options, token=token),
            cwd=REPOSITORY,
            env=sandbox_environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        self.base_url = self._read_address()
        self.people = Sandbox(self.base_url)

    def post(
        self,
        method: str,
        **content: Any,  # noqa: ANN401 - goes to requests as it is
    ) -> requests.Response:
        """Call a Bot API method in whatever form ``content`` says."""
        with requests.Session() as session:
            session.trust_env = False
            session.headers["Connection"] = "close"
            return session.post(f"{self.base_url}/bot{self.token}/{method}", timeout=20, **content)

    def call(self, method: str, **parameters: object) -> Any:  # noqa: ANN401 - JSON
        """Call a Bot API method and return its result."""
        response = self.post(method, json=parameters)
        assert response.status_code == 200, response.text
        return response.json()["result"]

    def refused(self, method: str, **parameters: object) -> tuple[int, str]:
        """Call a Bot API method that must fail; returns code and description."""
        response = self.post(method, json=parameters)
        body = response.json()
        assert body["ok"] is False
        assert response.status_code == body["error_code"]
        return body["error_code"], body["description"]

    def stop(self) -> int:
        """Stop it as the launcher does; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._reap()

    def kill(self) -> None:
        """Take it away without a chance to save."""
        self.process.kill()
        self._reap()

    def _reap(self) -> int:
        try:
            return self.process.wait(timeout=STOP_SECONDS)
        finally:
            self.process.kill()
            self.process.wait(timeout=STOP_SECONDS)
            if self.process.stdout is not None:
                self.process.stdout.close()

    def _read_address(self) -> str:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        line = self.process.stdout.readline() if ready else ""
        if not line.startswith("sandbox: http://127.0.0.1:"):
            self._reap()
            raise AssertionError("the sandbox did not start")
        return line.removeprefix("sandbox: ").strip()
