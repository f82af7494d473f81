"""`./neko bench` in its short form, on real processes: it works, and it measures what it says."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from running_neko import neko_environ, run_neko

MESSAGES = 128


@pytest.mark.processes
def test_the_short_form_on_real_processes(tmp_path: Path) -> None:
    result = run_neko(
        *("bench", "accept", "--updates", str(MESSAGES), "--rounds", "1", "--clients", "8", "--json"),
        environ=neko_environ(tmp_path / "data", TMPDIR=str(tmp_path)),
    )
    assert result.returncode == 0, result.stdout + result.stderr
    found = json.loads(result.stdout)  # and nothing else
    assert found["durability"] == {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
    assert found["per_accept"]["commits"] == 1
    assert found["per_accept"]["rows"]["tickets.ticket"]["inserted"] == 1
    assert found["per_accept"]["statements"] > found["per_accept"]["turns"] > found["per_accept"]["commits"]
    [level] = found["levels"]
    _check_level(level)


def _check_level(level: dict[str, Any]) -> None:
    accept = level["accept"]
    assert (level["clients"], accept["messages"]) == (8, MESSAGES)
    assert (accept["tickets"], accept["refused"]) == (MESSAGES, 0)
    assert 0 < accept["p50_ms"] <= accept["p95_ms"] <= accept["p99_ms"]
    assert accept["wal_bytes"] > 1000
    assert level["floor"]["wal_bytes"] > 1000
    # No test of speed: only that both have really been measured.
    assert math.isfinite(level["ratio"]["median"])
    assert level["ratio"]["median"] > 0.02
    assert level["bare_per_second"] > accept["per_second"]["median"]
