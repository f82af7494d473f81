"""The broker flushed, away, replaced by an empty one, and hanging: accepting and sending go on."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from nekonymous_site.fault_lab.lab import Lab
from nekonymous_site.fault_lab.load import load
from nekonymous_site.fault_lab.scenario import Findings, Scenario

FULL_SECONDS: Final = 30.0
SHORT_SECONDS: Final = 4.0
FLUSHES: Final = 5
LEAST_SENDS: Final = 5
# An update waits for the rates a quarter of a second at most, and once in five seconds.
LONGEST_P99_MILLISECONDS: Final = 2_000.0

Trouble = Callable[[Lab, float], int]


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
    with load(lab) as during:
        lab.sandbox.forget_calls()
        sends = trouble(lab, seconds)
    findings.rounds += 1
    findings.faults.extend(during.describe_failures())
    findings.demand(sends >= LEAST_SENDS, otherwise=f"only {sends} sends meanwhile")
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


# Each gives how many messages were sent while it lasted.


def _flushed(lab: Lab, seconds: float) -> int:
    for _ in range(FLUSHES):
        lab.servers.flush_valkey()
        time.sleep(seconds / FLUSHES)
    return len(lab.sandbox.calls("sendMessage"))


def _away(lab: Lab, seconds: float) -> int:
    with lab.servers.valkey_away():
        time.sleep(seconds)
        return len(lab.sandbox.calls("sendMessage"))


def _hanging(lab: Lab, seconds: float) -> int:
    with lab.servers.valkey_hanging():
        time.sleep(seconds)
        return len(lab.sandbox.calls("sendMessage"))
