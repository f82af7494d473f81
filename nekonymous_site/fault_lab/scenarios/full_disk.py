"""Postgres on a volume that is full to the last byte, and has room again: a product of the scenario's own."""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import psycopg

from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.embedded_servers import EmbeddedServers
from nekonymous_site.embedded.private_servers import migrate
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.supervisor import Supervisor
from nekonymous_site.fault_lab.lab import Lab
from nekonymous_site.fault_lab.laboratory import open_lab
from nekonymous_site.fault_lab.leftovers import find_leftovers
from nekonymous_site.fault_lab.load import load
from nekonymous_site.fault_lab.scenario import Findings, Scenario
from nekonymous_site.fault_lab.small_volume import SmallVolume, VolumeRefused, small_volume

LEAD_SECONDS: Final = 2.0
FULL_SECONDS: Final = 8.0
LOOK_SECONDS: Final = 0.2
NEW_SEGMENTS: Final = 4


def scenarios() -> Iterator[Scenario]:
    """One."""
    yield Scenario(name="Postgres has no room on its disk", play=_play)


def _play(lab: Lab, findings: Findings) -> None:
    lab.crew.stop()
    try:
        with small_volume(lab.crew.folder / "volume") as volume:
            _play_on(volume, lab, findings)
    except VolumeRefused:
        findings.notes.append("NOT RUN: only root may mount a small volume")
    finally:
        lab.crew.start()


def _play_on(volume: SmallVolume, lab: Lab, findings: Findings) -> None:
    with _product_on(volume.path, lab) as (small, supervisor):
        with load(small) as under:
            time.sleep(LEAD_SECONDS)
            volume.fill()
            _wait(FULL_SECONDS / 2, supervisor)
            _want_more_log(small)
            _wait(FULL_SECONDS / 2, supervisor)
            volume.make_room()
            small.await_true(lambda: _looked_after(small, supervisor), what="Postgres with room again")
        small.come_to_rest()
        refused = under.count(503)
        tally = small.book.tally()
        findings.faults.extend(find_leftovers(small, logs=(small.crew.logs, volume.path / "log"), secrets=()))
    findings.rounds += 1
    findings.faults.extend(under.describe_failures())
    findings.demand(refused, otherwise="nobody was told to come again")
    findings.demand(tally.is_clean, otherwise=f"of {tally.sent} letters: {tally}")
    findings.notes.append(f"{tally.sent} letters, {refused} answers of 503 while the disk was full")


def _wait(seconds: float, supervisor: Supervisor) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        supervisor.look_after()
        time.sleep(LOOK_SECONDS)


def _want_more_log(small: Lab) -> None:
    """Ask for new files of the write-ahead log, for which there is no room either."""
    try:
        with psycopg.connect(small.database_url, autocommit=True) as connection:
            for _ in range(NEW_SEGMENTS):
                connection.execute("SELECT pg_logical_emit_message(false, 'lab', 'x'), pg_switch_wal()")
    except psycopg.Error:
        return  # that is what it is for


def _looked_after(small: Lab, supervisor: Supervisor) -> bool:
    supervisor.look_after()
    try:
        return small.count("SELECT 1") == 1
    except psycopg.Error:
        return False


@contextmanager
def _product_on(volume: Path, lab: Lab) -> Iterator[tuple[Lab, Supervisor]]:
    folder = DataFolder(root=volume)
    folder.prepare()
    stop = StopRequest()
    with ExitStack() as at_end:
        supervisor = Supervisor(logs=folder.logs, stop=stop)
        servers = EmbeddedServers(folder=folder, stop=stop)
        at_end.callback(servers.close)
        at_end.callback(supervisor.stop_all)
        environ: Mapping[str, str] = {
            **lab.crew.product.environ,
            "DATABASE_URL": servers.start_postgres(supervisor, for_tests=False),
        }
        migrate(environ, folder=folder, stop=stop)
        small = at_end.enter_context(
            open_lab(
                environ,
                folder=lab.crew.folder / "beside",
                cluster=folder.cluster,
                rounds=lab.rounds,
                seed=lab.chance.randrange(2**31),
            )
        )
        yield small, supervisor
