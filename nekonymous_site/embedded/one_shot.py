"""Running a child to its end."""

from pathlib import Path

from nekonymous_site.embedded.child_process import Child, ChildPlan, start_child
from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.waiting import wait_until


def run_to_end(plan: ChildPlan, *, log_path: Path, seconds: float, stop: StopRequest) -> list[str]:
    """Run the plan and return the end of its output.

    Raises LauncherFailure with that output if it fails or takes too long, StopRequested if somebody asks
    to stop; in every case nothing of it is left running.
    """
    child = start_child(plan, log_path=log_path)
    try:
        if not wait_until(lambda: child.exit_code() is not None, seconds=seconds, stop=stop):
            raise LauncherFailure(f"{plan.name} took more than {seconds:.0f} s", details=child.last_lines())
    finally:
        child.kill_group()
    if child.exit_code() != 0:
        raise _failure(child, log_path=log_path)
    return child.last_lines()


def _failure(child: Child, *, log_path: Path) -> LauncherFailure:
    return LauncherFailure(f"{child.plan.name} failed (log: {log_path})", details=child.last_lines())
