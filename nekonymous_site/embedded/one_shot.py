"""Running a child to its end."""

import signal
from collections.abc import Callable
from pathlib import Path

from nekonymous_site.embedded.child_process import Child, ChildPlan, start_child
from nekonymous_site.embedded.failures import LauncherFailure, StopRequested
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.waiting import wait_until

POLITE_STOP_SECONDS = 8


def _nothing() -> None:
    """Often there is nothing else to look after."""


def run_to_end(
    plan: ChildPlan,
    *,
    log_path: Path,
    seconds: float,
    stop: StopRequest,
    meanwhile: Callable[[], None] = _nothing,
) -> list[str]:
    """Run the plan and return the end of its output; `meanwhile` is called again and again until then.

    Raises LauncherFailure with that output if it fails or takes too long, StopRequested if somebody asks
    to stop; in every case nothing of it is left running.
    """
    child = start_child(plan, log_path=log_path)

    def has_ended() -> bool:
        meanwhile()
        return child.exit_code() is not None

    try:
        if not wait_until(has_ended, seconds=seconds, stop=stop):
            raise LauncherFailure(f"{plan.name} took more than {seconds:.0f} s", details=child.last_lines())
    finally:
        child.kill_group()
    if child.exit_code() != 0:
        raise _failure(child, log_path=log_path)
    return child.last_lines()


def run_on_terminal(
    plan: ChildPlan, *, seconds: float, stop: StopRequest, meanwhile: Callable[[], None] = _nothing
) -> int:
    """Run the plan with the terminal as its output and return its exit code; `meanwhile` as in run_to_end.

    Raises LauncherFailure if it takes too long, and StopRequested, once it was interrupted and has had a
    moment to clear up, if somebody asks to stop; in every case nothing of it is left running.
    """
    child = start_child(plan, log_path=None)

    def has_ended() -> bool:
        meanwhile()
        return child.exit_code() is not None

    try:
        if not wait_until(has_ended, seconds=seconds, stop=stop):
            raise LauncherFailure(f"{plan.name} took more than {seconds:.0f} s")
    except StopRequested:
        child.send(signal.SIGINT)
        wait_until(has_ended, seconds=POLITE_STOP_SECONDS, stop=StopRequest())
        raise
    finally:
        child.kill_group()
    return child.exit_code() or 0


def _failure(child: Child, *, log_path: Path) -> LauncherFailure:
    return LauncherFailure(f"{child.plan.name} failed (log: {log_path})", details=child.last_lines())
