"""The broker flushed, away, replaced by an empty one, and hanging: accepting and sending go on."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Final

from nekonymous_site.fault_lab.lab import Lab
from nekonymous_site.fault_lab.load import load
from nekonymous_site.fault_lab.scenario import Findings, Scenario

FULL_SECONDS: Final = 30.0
SHORT_SECONDS: Final = 4.0
FLUSHES: Final = 5
# An update waits for the rates a quarter of a second at most, and once in five seconds.
LONGEST_P99_MILLISECONDS: Final = 2_000.0

Trouble = Callable[[Lab, float], AbstractContextManager[None]]


def scenarios() -> Iterator[Scenario]:
    """One for each trouble."""
    troubles: dict[str, Trouble] = {
        "flushed": _flushed,
        "killed, comes back empty": _away,
        "hanging": _hanging,
    }
    for name, trouble in troubles.items():
        yield Scenario(name=f"Valkey {name}", play=partial(_play, trouble))


def _play(trouble: Trouble, lab: Lab, findings: Findings) -> None:
    seconds = FULL_SECONDS if lab.is_full else SHORT_SECONDS
    with load(lab) as before:
        time.sleep(SHORT_SECONDS)
    lab.sandbox.forget_calls()
    with load(lab) as during, trouble(lab, seconds):
        time.sleep(seconds)
        sends = len(lab.sandbox.calls("sendMessage"))
    findings.rounds += 1
    findings.faults.extend(f"a writer failed: {type(one).__name__}" for one in during.failures)
    findings.demand(sends, otherwise="nothing was sent meanwhile")
    findings.demand(during.letters, otherwise="nothing was accepted meanwhile")
    findings.demand(during.count(200) == len(during.answers), otherwise="an update was not accepted at once")
    findings.demand(
        during.p99_milliseconds() < LONGEST_P99_MILLISECONDS,
        otherwise=f"p99 of accepting was {during.p99_milliseconds():.0f} ms",
    )
    findings.notes.append(
        f"{len(during.letters)} letters in {seconds:.0f} s, p99 of accepting "
        f"{during.p99_milliseconds():.0f} ms (undisturbed {before.p99_milliseconds():.0f} ms), "
        f"{sends} sends meanwhile"
    )


@contextmanager
def _flushed(lab: Lab, seconds: float) -> Iterator[None]:
    for _ in range(FLUSHES):
        lab.servers.flush_valkey()
        time.sleep(seconds / FLUSHES)
    yield


def _away(lab: Lab, _seconds: float) -> AbstractContextManager[None]:
    return lab.servers.valkey_away()


def _hanging(lab: Lab, _seconds: float) -> AbstractContextManager[None]:
    return lab.servers.valkey_hanging()
