"""The servers under the product and what can happen to them: the lab's own Valkey, the run's Postgres."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
import redis

from nekonymous_site.embedded.supervisor import Supervisor
from nekonymous_site.fault_lab.failures import LabStopped

RESTART_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 0.1


@dataclass(slots=True, kw_only=True)
class LabServers:
    """Valkey is started by `supervisor`, which starts it again only when it is asked to look after it."""

    supervisor: Supervisor
    redis_url: str
    database_url: str
    cluster: Path

    def flush_valkey(self) -> None:
        """Take away all that Valkey holds."""
        with redis.Redis.from_url(self.redis_url) as client:
            client.flushall()

    @contextmanager
    def valkey_away(self) -> Iterator[None]:
        """Kill Valkey for the length of a block; what comes back is an empty one."""
        os.kill(self._valkey_pid(), signal.SIGKILL)
        try:
            yield
        finally:
            self._bring_valkey_back()

    @contextmanager
    def valkey_hanging(self) -> Iterator[None]:
        """Let Valkey accept connections and answer nobody."""
        pid = self._valkey_pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def restart_postgres(self, *, how: signal.Signals) -> None:
        """End Postgres with a signal; whoever keeps it starts it again. Waits until it answers."""
        before = self._postmaster_pid()
        os.kill(before, how)
        deadline = time.monotonic() + RESTART_SECONDS
        while not self._answers() or self._postmaster_pid() == before:
            if time.monotonic() > deadline:
                raise LabStopped("Postgres does not come back")
            time.sleep(LOOK_SECONDS)

    def cut_connections(self) -> int:
        """End every connection but the lab's; tells how many."""
        query = """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
        """
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            row = connection.execute(query).fetchone()
        return int(row[0]) if row else 0

    @contextmanager
    def postgres_hanging(self) -> Iterator[None]:
        """Let Postgres and all its processes stand still."""
        pids = self._postgres_pids()
        _signal_all(pids, signal.SIGSTOP)
        try:
            yield
        finally:
            _signal_all(pids, signal.SIGCONT)

    def _valkey_pid(self) -> int:
        return self.supervisor.running()["valkey"].pid

    def _bring_valkey_back(self) -> None:
        deadline = time.monotonic() + RESTART_SECONDS
        while not self._valkey_answers():
            if time.monotonic() > deadline:
                raise LabStopped("Valkey does not come back")
            self.supervisor.look_after()
            time.sleep(LOOK_SECONDS)

    def _valkey_answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.redis_url, socket_timeout=1) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self.database_url, connect_timeout=1):
                return True
        except psycopg.OperationalError:
            return False

    def _postmaster_pid(self) -> int:
        try:
            return int((self.cluster / "postmaster.pid").read_text().split()[0])
        except (OSError, IndexError):
            return 0

    def _postgres_pids(self) -> list[int]:
        postmaster = self._postmaster_pid()
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        return [postmaster, *map(int, children)]


def _signal_all(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue  # a connection's process that has just ended
