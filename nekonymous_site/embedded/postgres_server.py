"""The embedded Postgres: its files, its process, the moment it is ready."""

import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

from nekonymous_site.embedded.child_process import ChildPlan, PassedFolder
from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.free_space import require_free_space
from nekonymous_site.embedded.one_shot import run_to_end
from nekonymous_site.embedded.process_identity import ProcessIdentity
from nekonymous_site.embedded.server_binaries import ServerBinaries
from nekonymous_site.embedded.server_user import ServerUser
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.waiting import wait_until

MAJOR_VERSION = "18"
SUPERUSER = "postgres"
NEW_CLUSTER_MEBIBYTES = 300
OLD_CLUSTER_MEBIBYTES = 64
INITDB_SECONDS = 120
PREVIOUS_SERVER_SECONDS = 20
ABANDONED_SERVER_SECONDS = 5

SERVER_ENVIRON = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.defpath}

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "128MB",
    # A container's /dev/shm of 64 MB breaks a parallel index build.
    "dynamic_shared_memory_type": "mmap",
    "maintenance_work_mem": "64MB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Errors quote values, and statements may hold them, so neither ever reaches the log.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_autovacuum_min_duration": "-1",
    "log_checkpoints": "off",
}
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresServer:
    """One cluster and the folder of its socket. Without `durable` a crash of the machine may ruin it."""

    cluster: Path
    run: Path
    logs: Path
    binaries: ServerBinaries
    user: ServerUser | None
    durable: bool

    def make_cluster(self, *, stop: StopRequest) -> None:
        """Make the cluster unless there is one. A killed attempt leaves nothing that is taken for whole."""
        if self.cluster.exists():
            self._check_version()
            require_free_space(self.cluster, mebibytes=OLD_CLUSTER_MEBIBYTES, remedy="free some space")
            return
        remedy = "free some space or set NEKO_DATA_DIR elsewhere"
        require_free_space(self.cluster.parent, mebibytes=NEW_CLUSTER_MEBIBYTES, remedy=remedy)
        unfinished = self.cluster.with_name("postgres.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if self.user:
            self.user.owns(unfinished)
        plan = self._initdb_plan(unfinished)
        run_to_end(plan, log_path=self.logs / "initdb.log", seconds=INITDB_SECONDS, stop=stop)
        unfinished.rename(self.cluster)

    def plan(self) -> ChildPlan:
        """How to run the server: sockets only, since every local user could use a port with trust."""
        settings = _SETTINGS | ({} if self.durable else _NOT_DURABLE)
        return ChildPlan(
            name="postgres",
            argv=(
                str(self.binaries.postgres),
                "-D",
                PassedFolder(path=self.cluster),
                "-c",
                PassedFolder(path=self.run, before="unix_socket_directories="),
                *(word for name, value in settings.items() for word in ("-c", f"{name}={value}")),
            ),
            environ=SERVER_ENVIRON,
            stop_signals=(signal.SIGINT, signal.SIGQUIT),
            user=self.user,
        )

    def is_ready(self, pid: int) -> bool:
        """Whether this very process says that it takes connections."""
        lines = self._pid_file_lines()
        return len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"

    def clear_way(self, *, stop: StopRequest) -> None:
        """Wait for a server of a killed launcher to finish, and remove a pid file that means nobody.

        Safe to repeat. The caller holds the data folder's lock, so no other launcher owns that server.
        """
        pid = self._server_pid()
        if pid is not None and not wait_until(
            lambda: self._server_pid() is None, seconds=PREVIOUS_SERVER_SECONDS, stop=stop
        ):
            # It follows no launcher any more; an immediate shutdown loses nothing that was committed.
            os.kill(pid, signal.SIGQUIT)
            if not wait_until(
                lambda: self._server_pid() is None, seconds=ABANDONED_SERVER_SECONDS, stop=stop
            ):
                raise LauncherFailure(
                    f"an earlier Postgres (pid {pid}) does not end: stop it, then try again"
                )
        (self.cluster / "postmaster.pid").unlink(missing_ok=True)

    def _server_pid(self) -> int | None:
        """The pid in the pid file, if that process really runs in this cluster."""
        lines = self._pid_file_lines()
        if not lines or not lines[0].strip().isdecimal():
            return None
        pid = int(lines[0])
        if ProcessIdentity.of(pid) is None:
            return None
        try:
            return pid if Path(f"/proc/{pid}/cwd").samefile(self.cluster) else None
        except OSError:
            return None  # somebody else's process that was given the same number

    def _pid_file_lines(self) -> list[str]:
        try:
            return (self.cluster / "postmaster.pid").read_text().splitlines()
        except OSError:
            return []

    def _check_version(self) -> None:
        made_by = (self.cluster / "PG_VERSION").read_text().strip()
        if made_by != MAJOR_VERSION:
            raise LauncherFailure(
                f"{self.cluster} was made by Postgres {made_by}, but this is {MAJOR_VERSION}: "
                "dump it with the old release and restore it here, or move it away"
            )

    def _initdb_plan(self, folder: Path) -> ChildPlan:
        locale = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "-E", "UTF8")
        speed = () if self.durable else ("--no-sync",)
        return ChildPlan(
            name="initdb",
            argv=(
                str(self.binaries.initdb),
                "-D",
                PassedFolder(path=folder),
                *("-U", SUPERUSER, "-A", "trust", "--no-instructions"),
                *locale,
                *speed,
            ),
            environ=SERVER_ENVIRON,
            user=self.user,
        )
