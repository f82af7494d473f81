"""Processes whose clocks are a minute apart: what decides is the database's clock."""

import json
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from nekonymous_site.fault_lab.lab import Lab
from nekonymous_site.fault_lab.load import load
from nekonymous_site.fault_lab.scenario import Findings, Scenario

AHEAD: Final = ("web", "worker-2")
LOAD_SECONDS: Final = 5.0
LEAST_AHEAD_SECONDS: Final = 50.0


def scenarios() -> Iterator[Scenario]:
    """One."""
    yield Scenario(name="clocks: one worker and the web processes a minute ahead", play=_play)


def _play(lab: Lab, findings: Findings) -> None:
    with lab.crew.clocks_ahead(*AHEAD):
        with load(lab) as under:
            time.sleep(LOAD_SECONDS)
        findings.rounds += 1
        findings.faults.extend(under.describe_failures())
        for name in AHEAD:
            findings.demand(_is_ahead(lab, name), otherwise=f"the clock of {name} was not ahead")
        lab.come_to_rest()
    findings.notes.append(f"{len(under.letters)} letters")


def _is_ahead(lab: Lab, name: str) -> bool:
    """Whether the last line of a process's log is of a time that has not come yet."""
    lines = (lab.crew.logs / f"{name}.log").read_text().splitlines()
    last = next(json.loads(line) for line in reversed(lines) if line.startswith("{"))
    logged = datetime.fromisoformat(last["time"]).timestamp()
    return logged > time.time() + LEAST_AHEAD_SECONDS - LOAD_SECONDS
