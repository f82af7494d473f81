"""The embedded Postgres and Valkey together: started for `up` and for `test`, where nothing else is given."""

from pathlib import Path
from urllib.parse import quote

from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.postgres_bootstrap import bootstrap
from nekonymous_site.embedded.postgres_server import PostgresServer
from nekonymous_site.embedded.run_folder import RunFolder, make_run_folder
from nekonymous_site.embedded.server_binaries import (
    ServerBinaries,
    copy_where_reachable,
    find_server_binaries,
    is_reachable,
)
from nekonymous_site.embedded.server_user import ServerUser, choose_server_user
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.supervisor import Charge, Supervisor
from nekonymous_site.embedded.temporary_places import TemporaryPlace, clear_temporary_place
from nekonymous_site.embedded.valkey_server import SOCKET_NAME, ValkeyServer

# A crash of the machine may leave minutes of log to replay.
POSTGRES_READY_SECONDS = 120
VALKEY_READY_SECONDS = 10


class EmbeddedServers:
    """Prepares folders and programs for the servers and starts them under a supervisor.

    The caller holds the data folder's lock. `close` removes what was made outside it, once all have ended.
    """

    def __init__(self, *, folder: DataFolder, stop: StopRequest) -> None:
        """Find the user the servers run as and programs that user can execute."""
        self._folder = folder
        self._stop = stop
        self._user = choose_server_user(folder.cluster)
        self._programs_place: TemporaryPlace | None = None
        self._binaries = self._reachable_binaries(self._user)
        self._run: RunFolder = make_run_folder(folder, user=self._user)

    @property
    def sockets(self) -> Path:
        """The folder of both sockets."""
        return self._run.path

    def start_postgres(self, supervisor: Supervisor, *, for_tests: bool) -> str:
        """Start Postgres, make what only its superuser can, and return the address for `DATABASE_URL`."""
        server = PostgresServer(
            cluster=self._folder.cluster,
            run=self._run.path,
            logs=self._folder.logs,
            binaries=self._binaries,
            user=self._user,
            durable=not for_tests,
        )
        server.make_cluster(stop=self._stop)
        server.clear_way(stop=self._stop)
        supervisor.start(
            Charge(
                plan=server.plan(), is_server=True, before_restart=lambda: server.clear_way(stop=self._stop)
            )
        )
        supervisor.wait_ready("postgres", server.is_ready, seconds=POSTGRES_READY_SECONDS)
        bootstrap(psql=self._binaries.psql, run=self._run.path, for_tests=for_tests)
        return database_url(self._run.path, database="neko")

    def start_valkey(self, supervisor: Supervisor) -> str:
        """Start Valkey and return the address for `REDIS_URL`."""
        server = ValkeyServer(run=self._run.path, program=self._binaries.valkey_server, user=self._user)
        supervisor.start(Charge(plan=server.plan(), is_server=True))
        supervisor.wait_ready("valkey", server.is_ready, seconds=VALKEY_READY_SECONDS)
        return f"unix://{self._run.path}/{SOCKET_NAME}?db=0"

    def close(self) -> None:
        """Remove the socket folder and copied programs; the servers have ended."""
        self._run.remove()
        if self._programs_place:
            self._programs_place.remove()

    def _reachable_binaries(self, user: ServerUser | None) -> ServerBinaries:
        link = self._folder.root / "programs"
        clear_temporary_place(link)
        binaries = find_server_binaries()
        if user is None or is_reachable(binaries, user=user):
            return binaries
        copied, self._programs_place = copy_where_reachable(binaries, user=user, link=link)
        return copied


def database_url(run: Path, *, database: str) -> str:
    """The libpq address of a database behind the socket in this folder."""
    return f"postgresql://neko@/{database}?host={quote(str(run), safe='/')}"
