"""Keeps the processes of `up` running, and stops every one of them."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nekonymous_site.embedded.child_process import Child, ChildPlan, start_child
from nekonymous_site.embedded.console import say
from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.process_identity import ProcessIdentity
from nekonymous_site.embedded.restart_policy import RestartDelay
from nekonymous_site.embedded.stop_request import StopRequest

LOOK_SECONDS = 0.5
START_LOOK_SECONDS = 0.05
PRODUCT_STOP_SECONDS = 6.0
SERVER_STOP_SECONDS = (2.5, 0.5)
SHOWN_LINES = 2
SHOWN_COLUMNS = 160


def _nothing() -> None:
    """Most processes need nothing before they are started again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """A process in the supervisor's care.

    Servers outlive the product on the way down. What ends with success is done if `once`; everything else
    that ends is started again, after `before_restart`.
    """

    plan: ChildPlan
    is_server: bool = False
    once: bool = False
    before_restart: Callable[[], None] = _nothing


@dataclass(slots=True, kw_only=True)
class _Watched:
    charge: Charge
    child: Child | None
    starts_at: float = 0.0
    delay: RestartDelay = field(default_factory=RestartDelay)
    done: bool = False


class Supervisor:
    """Starts, restarts and stops processes. Everything happens in the main thread, when it is called."""

    def __init__(self, *, logs: Path, stop: StopRequest, changed: Callable[[], None] = _nothing) -> None:
        """`changed` is called whenever the set of running processes has."""
        self._logs = logs
        self._stop = stop
        self._changed = changed
        self._watched: dict[str, _Watched] = {}

    def start(self, charge: Charge) -> None:
        """Start a process and keep it from now on."""
        child = start_child(charge.plan, log_path=self._log_path(charge.plan.name))
        self._watched[charge.plan.name] = _Watched(charge=charge, child=child)
        self._changed()

    def running(self) -> dict[str, ProcessIdentity]:
        """The processes that run now, by name, in the order of their first start."""
        identities = {
            name: watched.child.identity for name, watched in self._watched.items() if watched.child
        }
        return {name: identity for name, identity in identities.items() if identity}

    def describe(self) -> Iterator[tuple[str, str]]:
        """Name and state of everything in care that is not done."""
        for name, watched in self._watched.items():
            if watched.child:
                yield name, f"pid {watched.child.pid}"
            elif not watched.done:
                yield name, f"ended; is started again (log: {self._log_path(name)})"

    def wait_ready(self, name: str, is_ready: Callable[[int], bool], *, seconds: float) -> None:
        """Wait until the process is ready, looking after the others meanwhile.

        Raises LauncherFailure with the end of its output if it ends first or takes too long, StopRequested
        if somebody asks to stop.
        """
        deadline = time.monotonic() + seconds
        child = self._watched[name].child
        while child and child.exit_code() is None:
            if is_ready(child.pid):
                return
            self._stop.raise_if_requested()
            if time.monotonic() > deadline:
                raise self._start_failure(child, f"was not ready within {seconds:.0f} s")
            self._stop.wait(START_LOOK_SECONDS)
            self.look_after(but=name)
        if child:
            raise self._start_failure(child, f"ended at once ({_how(child)})")

    def look_after(self, *, but: str | None = None) -> None:
        """Note what has ended and start again what is due. Never waits."""
        for name, watched in self._watched.items():
            if name == but:
                continue
            if watched.child and watched.child.exit_code() is not None:
                self._note_end(name, watched, watched.child)
            elif not watched.child and not watched.done and time.monotonic() >= watched.starts_at:
                self._start_again(name, watched)

    def run_until_stopped(self) -> None:
        """Look after everything until somebody asks to stop."""
        while not self._stop.requested:
            self.look_after()
            self._stop.wait(LOOK_SECONDS)

    def stop_all(self) -> None:
        """Stop the product's processes together, then the servers; kill what does not end in time.

        Takes less than ten seconds. A second request to stop cuts the product's time short.
        """
        product = self._children(servers=False)
        _signal_first(product)
        self._wait_for_end(product, seconds=PRODUCT_STOP_SECONDS, may_hurry=True)
        servers = self._children(servers=True)
        for step, seconds in enumerate(SERVER_STOP_SECONDS):
            for server in servers:
                server.send(server.plan.stop_signals[min(step, len(server.plan.stop_signals) - 1)])
            self._wait_for_end(servers, seconds=seconds, may_hurry=False, kills=step > 0)
        self._watched.clear()
        self._changed()

    def _children(self, *, servers: bool) -> list[Child]:
        return [w.child for w in self._watched.values() if w.child and w.charge.is_server is servers]

    def _wait_for_end(
        self, children: Sequence[Child], *, seconds: float, may_hurry: bool, kills: bool = True
    ) -> None:
        deadline = time.monotonic() + seconds
        while any(child.exit_code() is None for child in children) and time.monotonic() < deadline:
            if may_hurry and self._stop.hurried:
                break
            self._stop.wait(START_LOOK_SECONDS)
        if kills:
            for child in children:
                child.kill_group()

    def _note_end(self, name: str, watched: _Watched, child: Child) -> None:
        watched.child = None
        watched.done = watched.charge.once and child.exit_code() == 0
        if not watched.done:
            lived_seconds = time.monotonic() - child.started_at
            delay_seconds = watched.delay.after_end(lived_seconds=lived_seconds)
            watched.starts_at = time.monotonic() + delay_seconds
            _say_now(f"{name} ended ({_how(child)}); starting it again in {delay_seconds:.0f} s")
            for line in child.last_lines(SHOWN_LINES):
                say(f"    {line[:SHOWN_COLUMNS]}")
        self._changed()

    def _start_again(self, name: str, watched: _Watched) -> None:
        try:
            watched.charge.before_restart()
            watched.child = start_child(watched.charge.plan, log_path=self._log_path(name))
        except (OSError, LauncherFailure) as error:
            watched.starts_at = time.monotonic() + watched.delay.after_end(lived_seconds=0)
            _say_now(f"{name} cannot be started: {error}")
        self._changed()

    def _start_failure(self, child: Child, what: str) -> LauncherFailure:
        name = child.plan.name
        return LauncherFailure(f"{name} {what} (log: {self._log_path(name)})", details=child.last_lines())

    def _log_path(self, name: str) -> Path:
        return self._logs / f"{name}.log"


def _signal_first(children: Sequence[Child]) -> None:
    for child in children:
        child.send(child.plan.stop_signals[0])


def _say_now(line: str) -> None:
    say(f"{time.strftime('%H:%M:%S')} {line}")


def _how(child: Child) -> str:
    code = child.exit_code()
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
