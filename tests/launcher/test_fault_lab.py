"""`./neko faults` with one round at each boundary, on real processes: every promise is kept."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running_neko import NEKO, neko_environ

from nekonymous_site.fault_lab.all_scenarios import all_scenarios

LONGEST_SECONDS = 400
SCENARIOS = (
    "the story",
    "kill web",
    "kill worker",
    "kill sweeper",
    "kill beat",
    "leases",
    "a reader",
    "updates",
    "clocks",
    "Valkey",
    "Postgres",
    "Bot API",
)


def _run_lab(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    run = subprocess.run(
        [str(NEKO), "faults", "--rounds", "1", "--json", *options],
        env=neko_environ(folder / "data", TMPDIR=str(folder)),
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    assert run.stdout, run.stderr
    return run.returncode, json.loads(run.stdout)


@pytest.mark.processes
@pytest.mark.timeout(LONGEST_SECONDS)
@pytest.mark.parametrize("scenarios", SCENARIOS)
def test_nothing_is_lost_doubled_unmarked_or_out_of_order(tmp_path: Path, scenarios: str) -> None:
    code, report = _run_lab(tmp_path, "--only", scenarios)

    assert [row for row in report["rows"] if row["faults"]] == []
    assert report["leftovers"] == []
    assert report["clean"] is True
    assert code == 0
    for row in report["rows"]:
        tally = row["tally"]
        assert row["rounds"] >= 1 or any("NOT RUN" in note for note in row["notes"]), row
        assert (tally["lost"], tally["unanswered"], tally["unmarked"], tally["disordered"]) == (0, 0, 0, 0)


def test_every_scenario_is_in_one_of_these_runs() -> None:
    for scenario in all_scenarios():
        assert sum(part in scenario.name for part in SCENARIOS) == 1, scenario.name
