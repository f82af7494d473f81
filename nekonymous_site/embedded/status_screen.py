"""The one screen that says what runs, where, and what to try next."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nekonymous_site.embedded.console import say
from nekonymous_site.embedded.process_environment import ProductEnvironment
from nekonymous_site.embedded.product_processes import local_address

_OPEN_BOT = "open your bot in Telegram and press Start"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusScreen:
    """What is shown once everything is ready."""

    product: ProductEnvironment
    processes: tuple[tuple[str, str], ...]
    sockets: Path | None
    logs: Path
    version: str | None
    failing: tuple[str, ...]
    given_data_dir: str | None
    ready_seconds: float
    walk: tuple[str, ...]

    def show(self) -> None:
        """Print it."""
        say()
        say(f"Nekonymous {self._state()} after {self.ready_seconds:.1f} s")
        say()
        _say_table(self._places())
        say()
        _say_table(self.processes)
        if self.walk:
            say()
            say("  One message has just walked through it:")
            for line in self.walk:
                say(f"    {line}")
        say()
        say("  Try next")
        for number, step in enumerate(self._next_steps(), start=1):
            say(f"    {number}. {step}")
        if self.product.sandbox and not self.product.missing_names:
            for line in self._other_ways():
                say(f"    {line}")
        say()
        say("Ctrl-C stops everything.")

    def _state(self) -> str:
        return "waits in setup mode" if self.product.missing_names else "is ready"

    def _places(self) -> Iterator[tuple[str, str]]:
        yield "web", local_address(self.product.settings)
        if self.product.sandbox:
            yield "sandbox", f"{self._sandbox_page()}  (stands in for Telegram: a page to click on)"
        if self.failing:
            yield (
                "degraded",
                f"{', '.join(self.failing)} failing; /ready tells when that is over",
            )
        yield "updates", f"by {self.product.settings.updates}"
        yield "data", str(self.product.settings.data_dir)
        yield "logs", str(self.logs)
        if self.sockets:
            yield "sockets", str(self.sockets)
        if self.version:
            yield "version", self.version

    def _next_steps(self) -> tuple[str, str, str]:
        if self.product.missing_names:
            missing = ", ".join(self.product.missing_names)
            return (
                f"give these names in the environment (or NAME_FILE): {missing}",
                "docs/reference.md says what each of them means",
                "start ./neko up again",
            )
        if self.product.sandbox:
            return (
                f"open {self._sandbox_page()} in a browser; as سارا write /start and get her link",
                "press the link there, open it as Adam, and write something without a name",
                "as سارا open the inbox, and answer with the button under the message",
            )
        return (
            "check the token and the way to the Bot API" if "bot_api" in self.failing else _OPEN_BOT,
            f"in another terminal: {self._neko()} check --deploy",
            f"watch {self.logs}",
        )

    def _other_ways(self) -> tuple[str, str]:
        return (
            f"Or, in another terminal: {self._neko()} demo (three of them write to each other)",
            'With your own bot: NEKO_DATA_DIR="$HOME/my-bot" TELEGRAM_BOT_TOKEN=<token> ./neko up',
        )

    def _neko(self) -> str:
        """How another terminal calls ./neko so that it meets this one."""
        return f"NEKO_DATA_DIR={shlex.quote(self.given_data_dir)} ./neko" if self.given_data_dir else "./neko"

    def _sandbox_page(self) -> str:
        return f"http://127.0.0.1:{self.product.settings.sandbox_port}/"


def _say_table(rows: Iterable[tuple[str, str]]) -> None:
    for name, text in rows:
        say(f"  {name:<10} {text}")
