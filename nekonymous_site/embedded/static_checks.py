"""The checks of `./neko test` that read the code: run side by side, shown one after the other."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
            plan=manage_plan(
                "check-deploy", "check", "--deploy", "--fail-level", "WARNING", environ=production
            ),
        ),
    )


def run_checks(checks: Sequence[Check], *, logs: Path, stop: StopRequest) -> None:
    """Run all checks and show each under its heading; raise LauncherFailure at the first that fails."""
    started: list[Child] = []
    waiting = iter(checks)
    try:
        for position, check in enumerate(checks):
            started += _start_next(waiting, count=SIDE_BY_SIDE - _running(started), logs=logs)
            _await(started, position=position, waiting=waiting, logs=logs, stop=stop)
            _show(check, child=started[position])
    finally:
        for child in started:
            child.kill_group()


def _await(
    started: list[Child], *, position: int, waiting: Iterator[Check], logs: Path, stop: StopRequest
) -> None:
    """Wait for one check, starting later ones as others end."""

    def has_ended() -> bool:
        started.extend(_start_next(waiting, count=SIDE_BY_SIDE - _running(started), logs=logs))
        return started[position].exit_code() is not None

    if not wait_until(has_ended, seconds=CHECK_SECONDS, stop=stop):
        raise LauncherFailure(f"{started[position].plan.name} took more than {CHECK_SECONDS} s")


def _start_next(waiting: Iterator[Check], *, count: int, logs: Path) -> list[Child]:
    chosen = [check for _, check in zip(range(count), waiting, strict=False)]
    return [start_child(check.plan, log_path=logs / f"{check.plan.name}.log") for check in chosen]


def _running(children: Sequence[Child]) -> int:
    return sum(child.exit_code() is None for child in children)


def _show(check: Check, *, child: Child) -> None:
    lines = child.last_lines(SHOWN_LINES)
    say(f"== {check.heading}: {lines[-1].strip() if lines else 'nothing found'}")
    if child.exit_code() != 0:
        raise LauncherFailure(f"{check.heading} failed", details=lines)
