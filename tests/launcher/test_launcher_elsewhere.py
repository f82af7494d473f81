"""`./neko up` in other circumstances: given servers, production, wrong names, a full disk."""

import http.client
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from disks import small_disk
from running_neko import (
    READY_LINE,
    WEB_READY,
    RunningNeko,
    needs_root,
    neko_environ,
    run_neko,
)
from running_servers import running_servers

pytestmark = pytest.mark.processes

Start = Callable[..., RunningNeko]


def test_given_servers_are_used_and_nothing_is_embedded(start_neko: Start, tmp_path: Path) -> None:
    with running_servers(tmp_path / "servers", for_tests=False) as servers:
        given = {"DATABASE_URL": servers.database_url, "REDIS_URL": servers.redis_url}
        running = start_neko("up", environ=neko_environ(tmp_path / "data", **given))
        running.await_text(WEB_READY)
        assert "DATABASE_URL is given: nothing is embedded for it" in running.text()
        assert not {"postgres", "valkey"} & running.runtime().processes.keys()
        assert not (tmp_path / "data" / "postgres").exists()
        with psycopg.connect(servers.database_url) as connection:
            row = connection.execute("SELECT count(*) > 0 FROM django_migrations").fetchone()
        assert row == (True,)
        assert running.stop() == 0
        assert servers.supervisor.running().keys() == {"postgres", "valkey"}


def test_an_address_where_nobody_answers_is_told(tmp_path: Path) -> None:
    nowhere = f"postgresql://neko@/neko?host={tmp_path}"
    refused = run_neko("up", environ=neko_environ(tmp_path / "data", DATABASE_URL=nowhere))
    assert refused.returncode == 1
    assert refused.stderr.startswith("neko: migrate failed (log: ")
    assert "Everything is stopped" not in refused.stderr


def test_production_without_its_names_only_says_what_is_missing(start_neko: Start, tmp_path: Path) -> None:
    running = start_neko("up", environ=neko_environ(tmp_path / "data", NEKO_ENV="production"))
    running.await_text(READY_LINE)
    assert "waits in setup mode" in running.text()
    assert list(running.runtime().processes) == ["web"]
    connection = http.client.HTTPConnection(urlsplit(running.url).netloc, timeout=5)
    connection.request("GET", "/api/status")
    status = json.loads(connection.getresponse().read())
    connection.close()
    for name in ("TELEGRAM_BOT_TOKEN", "NEKO_MASTER_KEYS", "NEKO_HMAC_PEPPER"):
        assert name in running.text()
        assert name in status["missing"]
    assert "DATABASE_URL" not in running.text()
    assert not (tmp_path / "data" / "keys.env").exists()
    assert running.stop() == 0


def test_malformed_names_are_all_told_at_once(tmp_path: Path) -> None:
    refused = run_neko("up", environ=neko_environ(tmp_path / "data", NEKO_PORT="http", NEKO_UPDATES="pigeon"))
    assert refused.returncode == 1
    first, *details = refused.stderr.splitlines()
    assert first == "neko: the environment cannot be used"
    assert [line.strip().partition(":")[0] for line in details] == ["NEKO_UPDATES", "NEKO_PORT"]


def test_one_port_for_both_is_told(tmp_path: Path) -> None:
    environ = neko_environ(tmp_path / "data")
    environ["NEKO_SANDBOX_PORT"] = environ["NEKO_PORT"]
    refused = run_neko("up", environ=environ)
    assert refused.returncode == 1
    assert refused.stderr == (
        f"neko: NEKO_PORT and NEKO_SANDBOX_PORT are both {environ['NEKO_PORT']}: change one\n"
    )


def test_a_data_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    refused = run_neko("up", environ=neko_environ(tmp_path / "file" / "data"))
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert line.startswith("neko: the operating system refused")


@needs_root
def test_a_full_disk_is_told_in_one_line(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", mebibytes=20) as disk:
        refused = run_neko("up", environ=neko_environ(disk / "data"))
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert line.startswith("neko: the disk is full: ")
    assert "300 MB needed" in line


@needs_root
def test_a_disk_without_any_room_is_told_in_one_line(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", mebibytes=1) as disk:
        (disk / "filler").write_bytes(bytes(1024 * 1024 - 4096))
        refused = run_neko("up", environ=neko_environ(disk / "data"))
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert line.startswith("neko: the disk is full")
