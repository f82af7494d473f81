"""One process of the lab: started, killed, frozen and started again at the lab's word alone."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nekonymous_site.embedded.child_process import Child, ChildPlan, start_child
from nekonymous_site.fault_lab.failures import LabStopped

LOOK_SECONDS: Final = 0.02
READY_SECONDS: Final = 60.0
POLITE_SECONDS: Final = 20.0


def _at_once(_pid: int) -> bool:
    return True


@dataclass(slots=True, kw_only=True)
class LabProcess:
    """A plan with the child that runs it now, if any does."""

    plan: ChildPlan
    log_path: Path
    is_ready: Callable[[int], bool] = _at_once
    child: Child | None = None

    @property
    def is_running(self) -> bool:
        """Whether the process is there, frozen or not."""
        return self.child is not None and self.child.exit_code() is None

    def start(self) -> None:
        """Start it unless it runs, without waiting until it is ready."""
        if not self.is_running:
            self.child = start_child(self.plan, log_path=self.log_path)

    def await_ready(self) -> None:
        """Wait until it does its work. Raises LabStopped."""
        deadline = time.monotonic() + READY_SECONDS
        while not (self.child and self.is_running and self.is_ready(self.child.pid)):
            if time.monotonic() > deadline or not self.is_running:
                reason = f"{self.plan.name} does not come up"
                raise LabStopped(reason)
            time.sleep(LOOK_SECONDS)

    def kill(self) -> None:
        """kill -9 for it and all that it started."""
        if self.child:
            self.child.kill_group()

    def await_end(self, *, seconds: float = POLITE_SECONDS) -> None:
        """Wait until it has ended by itself. Raises LabStopped."""
        deadline = time.monotonic() + seconds
        while self.is_running:
            if time.monotonic() > deadline:
                reason = f"{self.plan.name} does not end"
                raise LabStopped(reason)
            time.sleep(LOOK_SECONDS)

    def stop(self) -> None:
        """Ask it to end, and kill it when it does not."""
        if self.child:
            self.child.send(self.plan.stop_signals[0])
            try:
                self.await_end(seconds=POLITE_SECONDS)
            except LabStopped:
                self.kill()

    def freeze(self) -> None:
        """Let it and its children stand still."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self.child and self.is_running:
            os.killpg(self.child.pid, number)
