"""The product's processes in the lab: two that serve, two workers, beat and sweeper, all with failpoints."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

import psycopg

from nekonymous_site.embedded.child_process import ChildPlan
from nekonymous_site.embedded.process_environment import ProductEnvironment, compose_environment
from nekonymous_site.embedded.product_processes import local_address, web_charge, worker_charges
from nekonymous_site.embedded.web_probe import status_of
from nekonymous_site.fault_lab.armed_points import ArmedPoints
from nekonymous_site.fault_lab.failures import LabStopped
from nekonymous_site.fault_lab.lab_process import LabProcess

CLOCK_AHEAD: Final = Path(__file__).with_name("clock_ahead")
CALM_TRIES: Final = 50
CALM_SECONDS: Final = 0.05


class Role(StrEnum):
    """What a process does. All processes of one role share their failpoints."""

    WEB = "web"
    WORKER = "worker"
    BEAT = "beat"
    SWEEPER = "sweeper"


@dataclass(slots=True, kw_only=True)
class Crew:
    """All processes by name. `web` is a server with two serving processes under it."""

    product: ProductEnvironment
    folder: Path
    processes: dict[str, LabProcess] = field(default_factory=dict)

    @classmethod
    def plan(cls, environ: Mapping[str, str], *, folder: Path) -> "Crew":
        """Plan all processes for an environment; none of them runs yet."""
        crew = cls(product=compose_environment(environ, keys={}, embedded={}), folder=folder)
        for role in Role:
            crew.points(role).prepare()
        for name, role, plan in crew._plans():
            crew._add(name, role=role, plan=plan)
        return crew

    @property
    def logs(self) -> Path:
        """Where each process writes its log."""
        return self.folder / "log"

    @property
    def web_url(self) -> str:
        """Where updates are posted."""
        return local_address(self.product.settings)

    def points(self, role: Role) -> ArmedPoints:
        """The failpoints of a role."""
        return ArmedPoints(folder=self.folder / "failpoints" / role)

    def start(self, *names: str) -> None:
        """Start these processes, or all, where they do not run, and wait until the web process answers."""
        chosen = [self.processes[name] for name in names or tuple(self.processes)]
        for process in chosen:
            process.start()
        for process in chosen:
            process.await_ready()

    def stop(self, *names: str) -> None:
        """Ask these processes, or all, to end, and wait for it."""
        for name in names or tuple(self.processes):
            self.processes[name].stop()

    def kill_all(self) -> None:
        """kill -9 for everything that runs."""
        for process in self.processes.values():
            process.kill()

    def restart_dead(self) -> None:
        """Start again whatever has died, as the launcher does; waits for what has to answer.

        The web server replaces a serving process that dies, but gives up when two die soon after each other.
        """
        dead = [name for name, process in self.processes.items() if not process.is_running]
        if dead:
            self.start(*dead)

    @contextmanager
    def clocks_ahead(self, *names: str) -> Iterator[None]:
        """Run these processes with clocks that are a minute ahead for the length of a block."""
        self.stop(*names)
        plans = {name: self.processes[name].plan for name in names}
        for name, plan in plans.items():
            path = f"{CLOCK_AHEAD}{os.pathsep}{plan.environ['PYTHONPATH']}"
            self.processes[name].plan = replace(plan, environ={**plan.environ, "PYTHONPATH": path})
        self.start(*names)
        try:
            yield
        finally:
            self.stop(*names)
            for name, plan in plans.items():
                self.processes[name].plan = plan
            self.start(*names)

    def find(self, pid: int) -> LabProcess | None:
        """The process with this pid; None for one of the serving processes, which its server replaces."""
        return next(
            (one for one in self.processes.values() if one.child is not None and one.child.pid == pid), None
        )

    def freeze_calmly(self, name: str, *, database_url: str) -> None:
        """Let a process stand still at a moment at which it holds no transaction. Raises LabStopped."""
        process = self.processes[name]
        for _ in range(CALM_TRIES):
            process.freeze()
            if not _holds_something(database_url):
                return
            process.thaw()
            time.sleep(CALM_SECONDS)
        reason = f"{name} is never calm"
        raise LabStopped(reason)

    def _add(self, name: str, *, role: Role, plan: ChildPlan) -> None:
        environ = {**plan.environ, "NEKO_FAILPOINTS": str(self.points(role).folder)}
        self.processes[name] = LabProcess(
            plan=replace(plan, name=name, environ=environ),
            log_path=self.logs / f"{name}.log",
        )
        if role is Role.WEB:
            self.processes[name].is_ready = self._answers

    def _answers(self, _pid: int) -> bool:
        return status_of(self.web_url, "/ready") == 200

    def _plans(self) -> Iterator[tuple[str, Role, ChildPlan]]:
        yield "web", Role.WEB, web_charge(self.product).plan
        plans = {charge.plan.name: charge.plan for charge in worker_charges(self.product)}
        yield "worker", Role.WORKER, plans["worker"]
        other = tuple("worker2@neko" if part == "worker@neko" else part for part in plans["worker"].argv)
        yield "worker-2", Role.WORKER, replace(plans["worker"], argv=other)
        yield "beat", Role.BEAT, plans["beat"]
        yield "sweeper", Role.SWEEPER, plans["sweeper"]


def _holds_something(database_url: str) -> bool:
    # In a pipeline a backend that waits for its client between two statements counts as active.
    query = """
        SELECT count(*) FROM pg_stat_activity
        WHERE state LIKE 'idle in transaction%' OR (state = 'active' AND wait_event = 'ClientRead')
    """
    with psycopg.connect(database_url) as connection:
        row = connection.execute(query).fetchone()
    return bool(row and row[0])
