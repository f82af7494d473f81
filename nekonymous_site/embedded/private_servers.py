"""Servers, keys and addresses that live for one run of the tests or of a benchmark."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from nekonymous_site.embedded.console import say
from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.embedded_servers import EmbeddedServers, database_url
from nekonymous_site.embedded.keys_file import SANDBOX_TOKEN, make_keys
from nekonymous_site.embedded.one_shot import run_to_end
from nekonymous_site.embedded.postgres_bootstrap import TEST_TEMPLATE
from nekonymous_site.embedded.process_environment import KEY_NAMES, compose_environment
from nekonymous_site.embedded.product_processes import manage_plan
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.supervisor import Supervisor

# Nobody listens there: what forgets to name its sandbox must not reach Telegram.
NOBODYS_API_URL = "http://127.0.0.1:9"
MIGRATE_SECONDS = 300

# What the person's shell says about the real installation is no business of such a run.
_OWN_PREFIXES = ("NEKO_", "TELEGRAM_", "PUBLIC_URL", "DATABASE_URL", "REDIS_URL", "PG")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateServers:
    """Addresses of the servers of one run and who keeps them; `template_url` only exists for tests."""

    database_url: str
    template_url: str
    redis_url: str
    supervisor: Supervisor


@contextmanager
def private_servers(folder: DataFolder, *, stop: StopRequest, for_tests: bool) -> Iterator[PrivateServers]:
    """Run Postgres and Valkey until the block ends. For tests Postgres need not survive a crash."""
    say("== Private Postgres and Valkey for this run")
    supervisor = Supervisor(logs=folder.logs, stop=stop)
    servers = EmbeddedServers(folder=folder, stop=stop)
    try:
        yield PrivateServers(
            database_url=servers.start_postgres(supervisor, for_tests=for_tests),
            template_url=database_url(servers.sockets, database=TEST_TEMPLATE),
            redis_url=servers.start_valkey(supervisor),
            supervisor=supervisor,
        )
    finally:
        supervisor.stop_all()
        servers.close()


def throwaway_environ(
    environ: Mapping[str, str], *, folder: DataFolder, servers: PrivateServers
) -> dict[str, str]:
    """Compose an environment of made-up keys and a made-up bot that nobody answers for."""
    foreign = {name: value for name, value in environ.items() if not name.startswith(_OWN_PREFIXES)}
    keys = make_keys()
    own = {name: keys[name] for name in KEY_NAMES} | {
        "NO_COLOR": "1",
        "TELEGRAM_BOT_TOKEN": keys[SANDBOX_TOKEN],
        "TELEGRAM_API_URL": NOBODYS_API_URL,
        "NEKO_DATA_DIR": str(folder.root),
        "DATABASE_URL": servers.database_url,
        "REDIS_URL": servers.redis_url,
    }
    return dict(compose_environment(foreign | own, keys={}, embedded={}).environ)


def migrate(environ: Mapping[str, str], *, folder: DataFolder, stop: StopRequest) -> None:
    """Bring the database that the environment names up to date."""
    plan = manage_plan("migrate", "migrate", "--no-input", environ=environ)
    run_to_end(plan, log_path=folder.logs / "migrate.log", seconds=MIGRATE_SECONDS, stop=stop)
