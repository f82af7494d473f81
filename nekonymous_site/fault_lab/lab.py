"""The laboratory: the running product, people around it, and the ways to let time pass and work end."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Final, Protocol

import psycopg

from nekonymous_site.fault_lab.armed_points import ArmedPoints
from nekonymous_site.fault_lab.crew import Crew, Role
from nekonymous_site.fault_lab.direct_posts import DirectPosts
from nekonymous_site.fault_lab.failures import LabStopped
from nekonymous_site.fault_lab.lab_clock import LEASES, pass_time
from nekonymous_site.fault_lab.lab_servers import LabServers
from nekonymous_site.fault_lab.letters import Book, Letter, make_text
from nekonymous_site.sandbox.people import Person, Sandbox

FULL_ROUNDS: Final = 20
PART_UNITS: Final = 4_000
PATIENT_SECONDS: Final = 60.0
# Longer than any lease: whoever holds one after that time is gone.
A_LEASE: Final = timedelta(seconds=65)
LONGEST_WAIT: Final = timedelta(hours=2)
HURRY: Final = timedelta(seconds=2)
LOOK_SECONDS: Final = 0.1
NATURAL_SECONDS: Final = 1.5
REST_SECONDS: Final = 120.0
_BUSY: Final = {
    "intents": """
        SELECT count(*) FROM outbox.intent WHERE state IN ('pending', 'sending', 'unknown_after_send')
    """,
    "unread rows": "SELECT count(*) FROM accounts.unread WHERE unnoticed OR state = 'sending'",
    "drain requests": "SELECT count(*) FROM accounts.drain_request",
    "gatherings": "SELECT count(*) FROM accounts.composition WHERE ready_at IS NOT NULL",
}


class Demands(Protocol):
    """Where a promise that was not kept is noted."""

    def demand(self, condition: object, *, otherwise: str) -> None:
        """Note a fault unless the condition holds."""


@dataclass(slots=True, kw_only=True)
class Lab:
    """Everything that a scenario acts on. `rounds` and `chance` are those of the run."""

    crew: Crew
    servers: LabServers
    sandbox: Sandbox
    database_url: str
    rounds: int
    chance: Random
    book: Book = field(default_factory=Book)
    written: int = 0  # letters of all scenarios together
    private_values: list[str] = field(default_factory=list)  # what no log may hold

    @property
    def is_full(self) -> bool:
        """Whether outages last as long, and crowds are as big, as the full run has them."""
        return self.rounds >= FULL_ROUNDS

    def newcomer(self, name: str = "Lab") -> Person:
        """Make somebody up."""
        person = self.sandbox.person(name, "en")
        self.private_values.append(str(person.id))
        return person

    def owner(self) -> tuple[Person, str]:
        """Somebody with a link of their own."""
        self.crew.restart_dead()
        person = self.newcomer("Owner")
        person.says("/start")
        seen = person.awaits(lambda one: one.find_start_link() is not None, seconds=PATIENT_SECONDS)
        return person, str(seen.find_start_link())

    def opens(self, link: str) -> Person:
        """Somebody new who has opened a link and may write."""
        person = self.newcomer("Writer")
        person.opens(link)
        person.awaits(lambda one: one.has_button("k:"), seconds=PATIENT_SECONDS)
        return person

    def writes(self, sender: Person, recipient: Person, *, text: str | None = None) -> Letter:
        """Write one letter for the open draft, and note it."""
        words = text or make_text("letter")
        return self.note(Letter(sender=sender, recipient=recipient, text=words, sent=(sender.says(words),)))

    def pastes(self, sender: Person, recipient: Person, *, parts: int = 2) -> Letter:
        """Paste a long text for the open draft, which goes and arrives in so many parts, and note it.

        None of them is short: nobody knows that the last one is the last, so they gather.
        """
        words = [make_text(f"part {number}") for number in range(parts)]
        filling = " word" * ((PART_UNITS - len(words[0])) // len(" word"))
        letter = Letter(
            sender=sender,
            recipient=recipient,
            text=words[-1],
            sent=sender.pastes("\n".join(word + filling for word in words)),
            other_parts=tuple(words[:-1]),
        )
        return self.note(letter)

    def note(self, letter: Letter) -> Letter:
        """Expect a letter to arrive."""
        self.book.letters.append(letter)
        self.written += 1
        self.private_values.append(letter.text)
        return letter

    def count(self, query: str) -> int:
        """Ask the database for a number, by a query that is written here."""
        with psycopg.connect(self.database_url) as connection:
            row = connection.execute(query).fetchone()
        return int(row[0]) if row else 0

    def await_true(
        self, condition: Callable[[], object], *, what: str, seconds: float = PATIENT_SECONDS
    ) -> None:
        """Wait for a condition. Raises LabStopped."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                reason = f"waited in vain: {what}"
                raise LabStopped(reason)
            self.crew.restart_dead()
            time.sleep(LOOK_SECONDS)

    def pass_time(self, passed: timedelta = A_LEASE) -> None:
        """Let time pass in the database."""
        pass_time(self.database_url, passed)

    def pass_waits(self, passed: timedelta) -> None:
        """Let time pass for all that waits; whoever is at work keeps the lease."""
        pass_time(self.database_url, passed, but=LEASES)

    def come_to_rest(self, *, seconds: float = REST_SECONDS) -> None:
        """Let everything happen that is to happen, and let everybody read what waits. Raises LabStopped."""
        deadline = time.monotonic() + seconds
        quiet_looks, wait = 0, A_LEASE
        while quiet_looks < 2:
            if time.monotonic() > deadline:
                raise LabStopped(f"the product does not come to rest: {self._describe_busy()}")
            self.crew.restart_dead()
            if self._becomes_quiet(hurried=True):
                quiet_looks = 0 if self._let_everybody_ask() else quiet_looks + 1
            else:
                # Nothing moves: a lease of somebody dead, or a wait that may be an hour.
                self.pass_time(wait)
                quiet_looks, wait = 0, min(wait * 2, LONGEST_WAIT)

    def await_quiet(self) -> None:
        """Wait until nothing is left to be done but what people have to ask for. Raises LabStopped.

        Not while a call hangs: where nothing moves, leases are let pass.
        """
        deadline = time.monotonic() + PATIENT_SECONDS
        while not self._becomes_quiet():
            if time.monotonic() > deadline:
                raise LabStopped(f"the product is never quiet: {self._describe_busy()}")
            self.pass_time()  # it stands still, so whoever has a lease is gone

    def soon(self, condition: Callable[[], object]) -> bool:
        """Whether a condition holds within the moment that things take when nothing is wrong."""
        deadline = time.monotonic() + NATURAL_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(LOOK_SECONDS)
        return True

    def await_hanging(self, fault: str) -> None:
        """Wait until a send meets a fault under which it hangs."""
        self.await_true(
            lambda: any(call["fault"] == fault for call in self.sandbox.calls("sendMessage")),
            what="a call that hangs",
        )
        self.sandbox.forget_calls()

    def demand_met(self, fault: str, findings: Demands, *, least: int = 1) -> int:
        """Demand that so many of the latest calls have met a fault; tells how many have."""
        met = len([call for call in self.sandbox.calls() if call["fault"] == fault])
        findings.demand(met >= least, otherwise=f"only {met} calls met {fault}")
        return met

    def waiting_faults(self) -> int:
        """How many faults have met nobody yet."""
        return len(self.sandbox.control.get("/sandbox/faults")["faults"])

    def has_logged(self, event: str) -> bool:
        """Whether any process has logged this event."""
        return any(event in log.read_text() for log in self.crew.logs.glob("*.log"))

    def see_it_arrive(self, letter: Letter) -> None:
        """Let the recipient ask, and the leases of the dead pass, until the letter is there."""

        def arrives() -> bool:
            if not self.book.missing(letter.recipient):
                return True
            letter.recipient.says("/inbox")
            if not self.soon(lambda: not self.book.missing(letter.recipient)):
                self.pass_time()
            return not self.book.missing(letter.recipient)

        self.await_true(arrives, what="a letter after a fault")

    @contextmanager
    def woken_at_the_end(self, pid: int) -> Iterator[None]:
        """See that a process stands still, and let it go on when the block ends."""
        self.await_true(lambda: _stands_still(pid), what="a process that stands still")
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def recover(self) -> None:
        """After a scenario that could not go on: thaw, forget faults, and try to come to rest once more."""
        for process in self.crew.processes.values():
            process.thaw()
        for role in Role:
            self.points(role).disarm_all()
        self.sandbox.clear_faults()
        with suppress(LabStopped):
            self.come_to_rest()

    def _becomes_quiet(self, *, hurried: bool = False) -> bool:
        """Wait while anything moves; hurried, with paces and waits put behind. False when it stands still."""
        busy = self._count_busy()
        moved_at = time.monotonic()
        while busy:
            if time.monotonic() - moved_at > NATURAL_SECONDS:
                return False
            if hurried:
                self.pass_waits(HURRY)
            time.sleep(LOOK_SECONDS)
            before, busy = busy, self._count_busy()
            if busy != before:
                moved_at = time.monotonic()
        return True

    def _count_busy(self) -> int:
        return sum(self._list_busy().values())

    def _list_busy(self) -> dict[str, int]:
        """How much of each kind is still to be done; of updates, what the sandbox still holds."""
        pending = int(self.sandbox.status()["webhook"]["pending_update_count"])
        return {"updates": pending} | {kind: self.count(query) for kind, query in _BUSY.items()}

    def _describe_busy(self) -> str:
        return ", ".join(f"{number} {kind}" for kind, number in self._list_busy().items() if number)

    def _let_everybody_ask(self) -> bool:
        asking = [person for person in self.book.recipients().values() if self.book.missing(person)]
        for person in asking:
            person.says("/inbox")
        if asking:
            time.sleep(0.5)
        return bool(asking)

    @contextmanager
    def frozen(self, *names: str) -> Iterator[None]:
        """Let these processes stand still for the length of a block, holding nothing."""
        for name in names:
            self.crew.freeze_calmly(name, database_url=self.database_url)
        try:
            yield
        finally:
            for name in names:
                self.crew.processes[name].thaw()

    def direct_posts(self) -> DirectPosts:
        """A way to post updates without the sandbox."""
        secret = self.crew.product.settings.webhook_secret or ""
        return DirectPosts(web_url=self.crew.web_url, secret=secret)

    def points(self, role: Role) -> ArmedPoints:
        """The failpoints of a role."""
        return self.crew.points(role)


def _stands_still(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
