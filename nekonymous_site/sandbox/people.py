"""Made-up people, for tests and the demo: ``Sandbox(url).person("Sara").says("/start")``."""

from nekonymous_site.sandbox.chat_waiting import NotSeen, Sent
from nekonymous_site.sandbox.control_client import ControlClient, SandboxRefused, SandboxUnreachable
from nekonymous_site.sandbox.group import Group
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.person import Person
from nekonymous_site.sandbox.seen import Button, ButtonMissing, SeenChat, SeenMessage, Toast

__all__ = [
    "Button",
    "ButtonMissing",
    "Group",
    "NotSeen",
    "Person",
    "Sandbox",
    "SandboxRefused",
    "SandboxUnreachable",
    "SeenChat",
    "SeenMessage",
    "Sent",
    "Toast",
]


class Sandbox:
    """A running sandbox. Every call raises SandboxUnreachable when none answers."""

    def __init__(self, base_url: str) -> None:
        self.control = ControlClient(base_url)

    def person(
        self, first_name: str = "Sara", language_code: str | None = "fa", *, username: str | None = None
    ) -> Person:
        """Make somebody up."""
        body = {"first_name": first_name, "language_code": language_code, "username": username}
        return Person(self.control, self.control.post("/sandbox/people", body))

    def people(self) -> tuple[Person, ...]:
        """Everybody, in the order they were made up."""
        return tuple(Person(self.control, one) for one in self.control.get("/sandbox/people")["people"])

    def group(self, title: str = "Group") -> Group:
        """Make a group up, with the bot in it."""
        return Group(self.control, self.control.post("/sandbox/groups", {"title": title})["id"])

    def status(self) -> JsonObject:
        """Bot, webhook (as getWebhookInfo answers it), number of people, whether the bot is polling."""
        return self.control.get("/sandbox/status")

    def inject_fault(
        self,
        kind: str,
        *,
        method: str | None = None,
        chat_id: int | None = None,
        count: int = 1,
        **options: float | str,
    ) -> None:
        """Let the next calls, or updates, that match go wrong in one of the ways of ``faults.FaultKind``.

        Options: ``after`` (how many go well before), ``probability`` with ``seed``, ``status`` of a server
        error, ``retry_after_seconds``, ``hang_seconds``; for updates ``update_kind`` and ``late_seconds``.
        """
        body = {"kind": kind, "method": method, "chat_id": chat_id, "count": count, **options}
        self.control.post("/sandbox/faults", body)

    def clear_faults(self) -> None:
        """Let everything work again."""
        self.control.delete("/sandbox/faults")

    def enforce_rates(self, *, enforced: bool = True, **figures: float) -> None:
        """Hold the bot to Telegram's rates, or to the figures of ``send_rates.RateFigures`` given."""
        self.control.put("/sandbox/rates", {"enforced": enforced, **figures})

    def rates(self) -> JsonObject:
        """The rates in force, with the number of calls ``refused`` since they were set."""
        return self.control.get("/sandbox/rates")

    def calls(self, method: str | None = None) -> list[JsonObject]:
        """The bot's latest Bot API calls: method, params, via, at, fault, status, description."""
        # requests leaves out what is None.
        calls: list[JsonObject] = self.control.get("/sandbox/requests", method=method)["requests"]
        return calls

    def forget_calls(self) -> None:
        """Start the record of calls anew."""
        self.control.delete("/sandbox/requests")

    def deliver_raw(self, body: bytes) -> int:
        """Deliver a body as it is, even junk; returns the update id it is queued under."""
        return int(self.control.post_bytes("/sandbox/updates", body)["update_id"])

    def repeat_update(self, update_id: int) -> None:
        """Deliver an earlier update once more, under its own id."""
        self.control.post("/sandbox/updates", {"repeat_update_id": update_id})
