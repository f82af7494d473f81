"""The checks of `./neko test` that read the code: run side by side, shown one after the other."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from nekonymous_site.embedded.child_process import Child, ChildPlan, start_child
from nekonymous_site.embedded.console import say
from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.product_processes import manage_plan
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.waiting import wait_until

CHECK_SECONDS = 600
# Two at a time: more of them only slow each other down on a small machine.
SIDE_BY_SIDE = 2
SHOWN_LINES = 200

_IMPORT_CONTRACTS = (
    "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
)

# Tests may run as root, as they do in many containers, though production should not: neko.W009 says so.
_DEPLOY_CHECK = """
from django.conf import settings
from django.core.management import execute_from_command_line
settings.SILENCED_SYSTEM_CHECKS = [*settings.SILENCED_SYSTEM_CHECKS, "neko.W009"]
execute_from_command_line(["manage.py", "check", "--deploy", "--fail-level", "WARNING"])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check with the heading it is shown under."""

    heading: str
    plan: ChildPlan


def code_checks(environ: Mapping[str, str], *, production: Mapping[str, str]) -> tuple[Check, ...]:
    """Every check, in the order it is shown. `production` is the environment of the deploy check."""

    def python(name: str, *arguments: str) -> ChildPlan:
        return ChildPlan(name=name, argv=(sys.executable, *arguments), environ=environ)

    return (
        Check(heading="Format (ruff)", plan=python("ruff-format", "-m", "ruff", "format", "--check")),
        Check(heading="Lint (ruff)", plan=python("ruff-check", "-m", "ruff", "check")),
        Check(heading="Types (mypy)", plan=python("mypy", "-m", "mypy", ".")),
        Check(
            heading="Import contracts (import-linter)", plan=python("lint-imports", "-c", _IMPORT_CONTRACTS)
        ),
        Check(heading="Dead code (vulture)", plan=python("vulture", "-m", "vulture")),
        Check(heading="Dependencies (deptry)", plan=python("deptry", "-m", "deptry", ".")),
        Check(
            heading="Missing migrations",
            plan=manage_plan("makemigrations", "makemigrations", "--check", "--dry-run", environ=environ),
        ),
        Check(
            heading="Deploy checks",
            plan=ChildPlan(
                name="check-deploy", argv=(sys.executable, "-c", _DEPLOY_CHECK), environ=production
            ),
        ),
    )


def run_checks(checks: Sequence[Check], *, logs: Path, stop: StopRequest) -> None:
    """Run all checks and show each under its heading; raise LauncherFailure at the first that fails."""
    run = _Run(checks, logs=logs)
    try:
        for position, check in enumerate(checks):
            name = check.plan.name
            if not wait_until(partial(run.has_ended, position), seconds=CHECK_SECONDS, stop=stop):
                raise LauncherFailure(f"{name} took more than {CHECK_SECONDS} s")
            _show(check, child=run.started[position])
    finally:
        run.kill_all()


class _Run:
    """Checks in order, of which a few run at any time."""

    def __init__(self, checks: Sequence[Check], *, logs: Path) -> None:
        self.started: list[Child] = []
        self._waiting = iter(checks)
        self._logs = logs

    def has_ended(self, position: int) -> bool:
        """Whether this check has ended, starting later ones where there is room."""
        room = SIDE_BY_SIDE - sum(child.exit_code() is None for child in self.started)
        for check in islice(self._waiting, room):
            log_path = self._logs / f"{check.plan.name}.log"
            self.started.append(start_child(check.plan, log_path=log_path))
        return self.started[position].exit_code() is not None

    def kill_all(self) -> None:
        for child in self.started:
            child.kill_group()


def _show(check: Check, *, child: Child) -> None:
    lines = child.last_lines(SHOWN_LINES)
    say(f"== {check.heading}: {lines[-1].strip() if lines else 'nothing found'}")
    if child.exit_code() != 0:
        raise LauncherFailure(f"{check.heading} failed", details=lines)
