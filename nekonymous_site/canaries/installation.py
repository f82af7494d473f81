"""The running product that a sweep walks through, and the secrets it was started with."""

import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from nekonymous_site.canaries.marks import Mark, make_mark
from nekonymous_site.environment import CHECKOUT, Environment
from nekonymous_site.sandbox.people import Sandbox

COMMAND_SECONDS: Final = 60
WAIT_SECONDS: Final = 30.0
LOOK_AGAIN_SECONDS: Final = 0.05


class WalkStopped(Exception):
    """The walk did not come to its end, so nothing can be said; the message names the place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """Where everything is. With servers of its own, the walk also stops them for a moment.

    `bring_back` starts a killed process again where no launcher does. `environ` is that of the product's
    processes where it is not this process's own.
    """

    settings: Environment
    has_own_servers: bool
    bring_back: Callable[[str], None]
    environ: Mapping[str, str] | None = field(default=None, repr=False)

    @property
    def sandbox(self) -> Sandbox:
        """The stand-in for Telegram."""
        return Sandbox(self.settings.api_url)

    @property
    def web_url(self) -> str:
        """Where the web process answers."""
        return f"http://127.0.0.1:{self.settings.port}"

    @property
    def database_url(self) -> str:
        """The database. Raises WalkStopped if there is none."""
        return _given(self.settings.database_url, name="DATABASE_URL")

    @property
    def redis_url(self) -> str:
        """The broker. Raises WalkStopped if there is none."""
        return _given(self.settings.redis_url, name="REDIS_URL")

    def secret_marks(self) -> Iterator[Mark]:
        """Everything that the processes were started with and that nobody may read anywhere."""
        settings = self.settings
        token = _given(settings.bot_token, name="TELEGRAM_BOT_TOKEN")
        yield make_mark("bot token", token.partition(":")[2])
        yield make_mark("webhook secret", _given(settings.webhook_secret, name="TELEGRAM_WEBHOOK_SECRET"))
        yield make_mark("pepper", _given(settings.hmac_pepper, name="NEKO_HMAC_PEPPER"))
        for entry in _given(settings.master_keys, name="NEKO_MASTER_KEYS").split(","):
            yield make_mark("master key", entry.partition(":")[2])
        for name, url in (
            ("database password", settings.database_url),
            ("broker password", settings.redis_url),
        ):
            password = urlsplit(url or "").password
            if password:
                yield make_mark(name, password)

    def run_command(self, *arguments: str, given: str) -> bytes:
        """Run a management command to its end, with this on its standard input; gives all that it prints."""
        run = subprocess.run(
            [sys.executable, str(CHECKOUT / "manage.py"), *arguments],
            input=given.encode(),
            env=None if self.environ is None else dict(self.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        return run.stdout


def wait_for(condition: Callable[[], object], *, what: str, seconds: float = WAIT_SECONDS) -> None:
    """Wait for a condition. Raises WalkStopped after that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            reason = f"waited in vain for this: {what}"
            raise WalkStopped(reason)
        time.sleep(LOOK_AGAIN_SECONDS)


def make_word(beginning: str) -> str:
    """A text that is in no other run."""
    return f"{beginning}-{secrets.token_hex(5)}"


def _given(value: str | None, *, name: str) -> str:
    if value is None:
        reason = f"{name} is not set here"
        raise WalkStopped(reason)
    return value
