"""pgbench, as the wheel of the embedded Postgres brings it."""

import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.db import connection

from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.floor_script import FloorScript
from nekonymous_site.embedded.server_binaries import find_server_binaries

LONGEST_RUN_SECONDS: Final = 600
_MOST_THREADS: Final = 2
_PROCESSED = re.compile(r"number of transactions actually processed: (\d+)/\d+")
_SPEED = re.compile(r"tps = ([\d.]+) \(without initial connection time\)")
_LATENCY = re.compile(r"latency average = ([\d.]+) ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorFigures:
    """What pgbench has shown: transactions, how many a second, milliseconds of one on average."""

    transactions: int
    per_second: float
    average_ms: float


def run_pgbench(script: FloorScript, *, clients: int, transactions: int) -> FloorFigures:
    """Run so many transactions of the script. Raises BenchmarkFailed unless every one has been committed."""
    with tempfile.TemporaryDirectory(prefix="neko-floor-") as folder:
        path = Path(folder) / "floor.sql"
        path.write_text(script.text, encoding="utf-8")
        variables = {**script.constants, "clients": str(clients), "turn": "-1"}
        command = [
            str(find_server_binaries().pgbench),
            *("--no-vacuum", "--protocol", "prepared", "--file", str(path)),
            *("--client", str(clients), "--jobs", str(min(clients, _MOST_THREADS))),
            *("--transactions", str(transactions // clients)),
            *(f"--define={name}={value}" for name, value in variables.items()),
        ]
        try:
            done = subprocess.run(
                command,
                env=_connection_environ(),
                capture_output=True,
                text=True,
                timeout=LONGEST_RUN_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BenchmarkFailed(f"pgbench took more than {LONGEST_RUN_SECONDS} s") from None
    return _read_figures(done, transactions=transactions // clients * clients)


def _read_figures(done: subprocess.CompletedProcess[str], *, transactions: int) -> FloorFigures:
    processed, speed, latency = (pattern.search(done.stdout) for pattern in (_PROCESSED, _SPEED, _LATENCY))
    if done.returncode or not processed or not speed or not latency or int(processed[1]) != transactions:
        # Errors name statements, whose values are made up.
        raise BenchmarkFailed(f"pgbench failed: {done.stderr.strip()[-2000:]}")
    return FloorFigures(transactions=transactions, per_second=float(speed[1]), average_ms=float(latency[1]))


def _connection_environ() -> Mapping[str, str]:
    """Django's own address, so that both meet the same server; a password stays out of the command line."""
    place = connection.settings_dict
    names = {
        "PGHOST": "HOST",
        "PGPORT": "PORT",
        "PGUSER": "USER",
        "PGPASSWORD": "PASSWORD",
        "PGDATABASE": "NAME",
    }
    given = {variable: str(place[name]) for variable, name in names.items() if place[name]}
    return {"LC_ALL": "C.UTF-8", "PGOPTIONS": str(place["OPTIONS"].get("options", "")), **given}
