"""``./neko canaries``: marked values walk through the product; ``search``: any values, in what runs here."""

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from nekonymous_site.canaries.installation import Installation, WalkStopped
from nekonymous_site.canaries.live_search import NothingRuns, ValuesUnusable, read_values, search_what_runs
from nekonymous_site.canaries.sweep import sweep
from nekonymous_site.canaries.sweep_report import SweepReport
from nekonymous_site.management.throwaway_installation import refuse_real_installation

EXIT_FOUND = 1
EXIT_WRONG_USAGE = 2  # argparse's own


class Command(BaseCommand):
    """Names places and kinds of values, never a value."""

    help = (
        "Without an argument: walks marked values through the running product, breaks and kills it on the "
        "way, and searches tables, Valkey, logs, files, answers and command lines for them; ./neko canaries "
        "starts a product of its own for it. search: reads values, one a line, from standard input, because "
        "arguments stand in process lists and in the shell's history, and searches what runs here. Exit "
        "codes: 0 nothing found, 1 something found or the walk stopped, 2 wrong usage or input."
    )
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", nargs="?", choices=["walk", "search"], default="walk")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    @override
    def handle(self, *_args: Any, what: str, **options: Any) -> None:
        report = self._search() if what == "search" else self._walk(is_told=not options["json"])
        self._show(report, in_json=options["json"])
        if not report.is_clean:
            sys.exit(EXIT_FOUND)

    def _walk(self, *, is_told: bool) -> SweepReport:
        refuse_real_installation("canaries", runs_beside_product=True)
        installation = Installation(
            settings=settings.NEKO, has_own_servers=True, bring_back=_leave_to_launcher
        )
        try:
            return sweep(installation, tell=self.stdout.write if is_told else _say_nothing)
        except WalkStopped as error:
            raise CommandError(str(error)) from error

    def _search(self) -> SweepReport:
        if sys.stdin.isatty():
            self.stderr.write("values, one a line, then Ctrl-D:")
        try:
            return search_what_runs(settings.NEKO, marks=read_values(sys.stdin))
        except ValuesUnusable as error:
            raise CommandError(str(error), returncode=EXIT_WRONG_USAGE) from None
        except NothingRuns as error:
            raise CommandError(str(error)) from None

    def _show(self, report: SweepReport, *, in_json: bool) -> None:
        if in_json:
            self.stdout.write(report.as_json())
            return
        for line in report.lines():
            self.stdout.write(line)
        self.stdout.write(f"{report.values} values in {report.seconds:.0f} s: {_verdict(report)}")


def _verdict(report: SweepReport) -> str:
    if report.is_clean:
        return "found nowhere they must not be"
    return f"{len(report.found)} found, {len(report.unneeded)} expected in vain"


def _leave_to_launcher(_name: str) -> None:
    """The launcher starts again what it has started."""


def _say_nothing(_line: str) -> None:
    """JSON is all that is printed."""
