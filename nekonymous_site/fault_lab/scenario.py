"""What a scenario is, and the row of the table that one gives."""

import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nekonymous_site.fault_lab.failures import LabStopped
from nekonymous_site.fault_lab.lab import Lab
from nekonymous_site.fault_lab.letters import Book, Tally
from nekonymous_site.sandbox.people import ButtonMissing, NotSeen, SandboxRefused, SandboxUnreachable


@dataclass(slots=True, kw_only=True)
class Findings:
    """What a scenario saw besides its letters: how often it did what it is about, figures, and faults."""

    rounds: int = 0
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def demand(self, condition: object, *, otherwise: str) -> None:
        """Note a fault unless the condition holds."""
        if not condition:
            self.faults.append(otherwise)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A named piece of the lab's work."""

    name: str
    play: Callable[[Lab, Findings], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What came of one scenario."""

    name: str
    rounds: int
    tally: Tally
    seconds: float
    notes: tuple[str, ...]
    faults: tuple[str, ...]

    @property
    def is_clean(self) -> bool:
        """Whether every promise was kept."""
        return self.tally.is_clean and not self.faults

    def lines(self) -> Iterator[str]:
        """What is told as soon as it is over."""
        yield f"{'ok   ' if self.is_clean else 'FAULT'} {self.name} ({self.seconds:.0f} s)"
        yield from (f"      {fault}" for fault in self.faults)


def run_scenario(scenario: Scenario, lab: Lab) -> Row:
    """Play a scenario, let everything come to rest, and judge. A scenario that cannot go on is a fault."""
    lab.book = Book()
    started = time.monotonic()
    findings = Findings()
    try:
        scenario.play(lab, findings)
        lab.sandbox.clear_faults()
        lab.come_to_rest()
    except (LabStopped, NotSeen, ButtonMissing, SandboxRefused, SandboxUnreachable) as error:
        findings.faults.append(f"stopped: {str(error).splitlines()[0]}")
        lab.recover()
    except Exception as error:  # noqa: BLE001 - a mistake of the lab's must not take the other rows with it
        findings.faults.append(f"stopped: {type(error).__name__} at {_place_of(error)}")
        lab.recover()
    return Row(
        name=scenario.name,
        rounds=findings.rounds,
        tally=lab.book.tally(),
        seconds=time.monotonic() - started,
        notes=tuple(findings.notes),
        faults=tuple(findings.faults),
    )


def _place_of(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return ", ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-3:])
