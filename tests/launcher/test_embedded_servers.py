"""The embedded Postgres and Valkey alone, without anything of the product."""

import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
import redis
from running_neko import needs_root
from running_servers import Running, running_servers

from nekonymous_site.embedded.postgres_bootstrap import PLANES

pytestmark = pytest.mark.processes

CANARY = "canary-in-a-statement"
_STATEMENTS_WITH_A_CANARY = (
    f"SELECT '{CANARY}'::integer",
    f'SELECT 1/0 AS "{CANARY}"',
    f"DO $$ BEGIN RAISE WARNING '{CANARY}'; END $$",
    f"WITH twice AS (VALUES ('{CANARY}'), ('{CANARY}')) TABLE twice ORDER BY (TABLE twice)",
    f"SELECT '{CANARY}', pg_sleep(0.01)",
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running_servers(tmp_path_factory.mktemp("servers") / "data") as running:
        yield running


def test_the_database_is_as_the_planes_need_it(shared: Running) -> None:
    assert shared.ask("SHOW server_version_num") >= [("180000",)]
    assert shared.ask(
        "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'"
    ) == [("extensions",)]
    assert shared.ask("SELECT '[1,2]'::vector <-> '[1,3]'") == [(1.0,)]
    assert shared.ask("SHOW search_path") == [(", ".join(("public", *PLANES, "extensions")),)]
    assert shared.ask("SELECT datlocprovider, datlocale FROM pg_database WHERE datname = 'neko'") == [
        ("b", "C.UTF-8")
    ]


def test_the_application_role_is_no_superuser_and_owns_its_database(shared: Running) -> None:
    role = shared.ask("SELECT rolsuper, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = 'neko'")
    assert role == [(False, False, True)]
    owner = shared.ask("SELECT datdba::regrole::text FROM pg_database WHERE datname = 'neko'")
    assert owner == [("neko",)]


@pytest.mark.parametrize("plane", PLANES)
def test_every_plane_has_a_reader_that_cannot_log_in(shared: Running, plane: str) -> None:
    found = shared.ask(f"SELECT rolcanlogin FROM pg_roles WHERE rolname = 'neko_{plane}_reader'")  # noqa: S608
    assert found == [(False,)]


def test_no_statement_and_no_value_reaches_the_log(shared: Running) -> None:
    for statement in _STATEMENTS_WITH_A_CANARY:
        _run_whatever_comes(shared, statement)
    _run_whatever_comes(shared, "SELECT %s::integer", CANARY)
    log = (shared.folder.logs / "postgres.log").read_text()
    assert "ready to accept connections" in log
    assert CANARY not in log


def test_valkey_keeps_nothing_and_evicts_nothing(shared: Running) -> None:
    with redis.Redis.from_url(shared.redis_url) as client:
        assert client.ping()
        config = client.config_get("save", "appendonly", "maxmemory-policy", "port")
    assert config == {"save": "", "appendonly": "no", "maxmemory-policy": "noeviction", "port": "0"}


def test_only_the_own_user_can_enter(shared: Running) -> None:
    for folder in (shared.servers.sockets, shared.folder.cluster):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert shared.ask("SHOW listen_addresses") == [("",)]


@needs_root
def test_root_runs_them_as_somebody_else(shared: Running) -> None:
    for name in ("postgres", "valkey"):
        status = Path(f"/proc/{shared.pid_of(name)}/status").read_text()
        uids = next(line.split()[1:] for line in status.splitlines() if line.startswith("Uid:"))
        assert set(uids) != {"0"}
        assert len(set(uids)) == 1
    assert shared.folder.cluster.stat().st_uid != 0
    assert shared.folder.root.stat().st_uid == 0


def _run_whatever_comes(running: Running, statement: str, *values: str) -> None:
    with psycopg.connect(running.database_url) as connection, suppress(psycopg.Error):
        connection.execute(statement.encode(), values or None)
