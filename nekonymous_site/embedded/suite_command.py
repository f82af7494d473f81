"""`./neko test`: private servers, then every check, then pytest."""

import secrets
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from nekonymous_site.embedded.child_process import ChildPlan, start_child
from nekonymous_site.embedded.console import say
from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.embedded_servers import EmbeddedServers, database_url
from nekonymous_site.embedded.failures import LauncherFailure, StopRequested
from nekonymous_site.embedded.keys_file import SANDBOX_TOKEN, make_keys
from nekonymous_site.embedded.one_shot import run_to_end
from nekonymous_site.embedded.postgres_bootstrap import TEST_TEMPLATE
from nekonymous_site.embedded.process_environment import KEY_NAMES, compose_environment
from nekonymous_site.embedded.product_processes import manage_plan
from nekonymous_site.embedded.static_checks import code_checks, run_checks
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.supervisor import Supervisor
from nekonymous_site.embedded.temporary_places import held_folder
from nekonymous_site.embedded.waiting import wait_until

# Nobody listens there: a test that forgets to name its sandbox must not reach Telegram.
NOBODYS_API_URL = "http://127.0.0.1:9"
FOLDER_PREFIX = "neko-test-"
MIGRATE_SECONDS = 300
PYTEST_SECONDS = 3600
PYTEST_STOP_SECONDS = 8

# What the person's shell says about the real installation is no business of the tests.
_OWN_PREFIXES = ("NEKO_", "TELEGRAM_", "PUBLIC_URL", "DATABASE_URL", "REDIS_URL", "PG")


def run_suite(pytest_arguments: Sequence[str], *, environ: Mapping[str, str]) -> int:
    """Run checks and tests and return the exit code of what failed first, or of pytest.

    With arguments only pytest runs, with these. Servers and files are private and gone at the end.
    """
    stop = StopRequest()
    stop.install()
    with held_folder(FOLDER_PREFIX) as root:
        folder = DataFolder(root=root)
        folder.prepare()
        with _private_servers(folder, stop=stop) as servers:
            suite_environ = _suite_environ(environ, folder=folder, servers=servers)
            if not pytest_arguments:
                _run_code_checks(suite_environ, folder=folder, stop=stop)
            at_template = suite_environ | {"DATABASE_URL": servers.template_url}
            _migrate_template(at_template, folder=folder, stop=stop)
            return _run_pytest(pytest_arguments, environ=suite_environ, stop=stop)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PrivateServers:
    database_url: str
    template_url: str
    redis_url: str


@contextmanager
def _private_servers(folder: DataFolder, *, stop: StopRequest) -> Iterator[_PrivateServers]:
    say("== Private Postgres and Valkey for this run")
    supervisor = Supervisor(logs=folder.logs, stop=stop)
    servers = EmbeddedServers(folder=folder, stop=stop)
    try:
        yield _PrivateServers(
            database_url=servers.start_postgres(supervisor, for_tests=True),
            template_url=database_url(servers.sockets, database=TEST_TEMPLATE),
            redis_url=servers.start_valkey(supervisor),
        )
    finally:
        supervisor.stop_all()
        servers.close()


def _suite_environ(
    environ: Mapping[str, str], *, folder: DataFolder, servers: _PrivateServers
) -> dict[str, str]:
    foreign = {name: value for name, value in environ.items() if not name.startswith(_OWN_PREFIXES)}
    keys = make_keys()
    own = {name: keys[name] for name in KEY_NAMES} | {
        "NO_COLOR": "1",
        "TELEGRAM_BOT_TOKEN": keys[SANDBOX_TOKEN],
        "TELEGRAM_API_URL": NOBODYS_API_URL,
        "NEKO_DATA_DIR": str(folder.root),
        "DATABASE_URL": servers.database_url,
        "REDIS_URL": servers.redis_url,
        "NEKO_TEST_TEMPLATE": TEST_TEMPLATE,
    }
    return dict(compose_environment(foreign | own, keys={}, embedded={}).environ)


def _production_environ(environ: Mapping[str, str]) -> dict[str, str]:
    return dict(environ) | {
        "NEKO_ENV": "production",
        "PUBLIC_URL": "https://neko.example",
        "TELEGRAM_BOT_TOKEN": f"1234567890:{secrets.token_urlsafe(26)}",
    }


def _run_code_checks(environ: Mapping[str, str], *, folder: DataFolder, stop: StopRequest) -> None:
    say("== Checks that read the code (the first time they take a minute)")
    checks = code_checks(environ, production=_production_environ(environ))
    run_checks(checks, logs=folder.logs, stop=stop)


def _migrate_template(environ: Mapping[str, str], *, folder: DataFolder, stop: StopRequest) -> None:
    say("== Migrations, once, into the database every test database is copied from")
    plan = manage_plan("migrate", "migrate", "--no-input", environ=environ)
    run_to_end(plan, log_path=folder.logs / "migrate.log", seconds=MIGRATE_SECONDS, stop=stop)


def _run_pytest(arguments: Sequence[str], *, environ: Mapping[str, str], stop: StopRequest) -> int:
    say("== Tests (pytest)")
    plan = ChildPlan(name="pytest", argv=(sys.executable, "-m", "pytest", *arguments), environ=environ)
    child = start_child(plan, log_path=None)
    try:
        if not wait_until(lambda: child.exit_code() is not None, seconds=PYTEST_SECONDS, stop=stop):
            raise LauncherFailure(f"the tests took more than {PYTEST_SECONDS} s")
    except StopRequested:
        child.send(signal.SIGINT)
        wait_for_end = StopRequest()
        wait_until(lambda: child.exit_code() is not None, seconds=PYTEST_STOP_SECONDS, stop=wait_for_end)
        raise
    finally:
        child.kill_group()
    return child.exit_code() or 0
