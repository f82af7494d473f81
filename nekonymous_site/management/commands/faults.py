"""``./neko faults``: breaks a product of its own in many ways, and counts what was lost or doubled."""

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from nekonymous_site.environment import Environment
from nekonymous_site.fault_lab.all_scenarios import all_scenarios
from nekonymous_site.fault_lab.lab import FULL_ROUNDS
from nekonymous_site.fault_lab.laboratory import open_lab
from nekonymous_site.fault_lab.leftovers import find_leftovers
from nekonymous_site.fault_lab.report import Report
from nekonymous_site.fault_lab.scenario import run_scenario
from nekonymous_site.management.throwaway_installation import refuse_real_installation
from nekonymous_site.startup import refuse_wrong_configuration

EXIT_FAULT: Final = 1
MOST_ROUNDS: Final = 1_000


class Command(BaseCommand):
    help = (
        "Runs the product's processes against a sandbox and kills, stops, floods and misleads them: "
        "processes at every boundary, Valkey, Postgres, the Bot API, updates, leases. Counts from outside "
        "what was lost, doubled, marked and out of order, and looks for what is left in tables and logs. "
        "Exit codes: 0 every promise was kept, 1 one was not, 2 wrong usage."
    )
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--rounds",
            type=int,
            default=FULL_ROUNDS,
            help=f"rounds at each boundary ({FULL_ROUNDS}; fewer shorten outages and crowds as well)",
        )
        parser.add_argument("--seed", type=int, help="repeats the same choices (drawn by lot)")
        parser.add_argument(
            "--only",
            action="append",
            default=[],
            help="only scenarios whose name holds this; may be given again for others",
        )
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    @override
    def handle(self, *_args: Any, rounds: int, seed: int | None, only: list[str], **options: Any) -> None:
        refuse_wrong_configuration()
        refuse_real_installation("faults")
        if not 1 <= rounds <= MOST_ROUNDS:
            raise CommandError(f"--rounds must be 1 to {MOST_ROUNDS}", returncode=2)
        chosen = [one for one in all_scenarios() if any(part in one.name for part in only or [""])]
        if not chosen:
            raise CommandError("no scenario has such a name", returncode=2)
        drawn = secrets.randbelow(2**31) if seed is None else seed
        tell = (lambda _line: None) if options["json"] else self.stdout.write
        tell(f"{len(chosen)} scenarios, {rounds} rounds at each boundary, seed {drawn}")
        data_dir = settings.NEKO.data_dir
        rows = []
        # What is told of servers that end and come back is no part of what is asked for.
        with (
            redirect_stdout(sys.stderr),
            open_lab(
                os.environ, folder=data_dir / "lab", cluster=data_dir / "postgres", rounds=rounds, seed=drawn
            ) as lab,
        ):
            for scenario in chosen:
                rows.append(run_scenario(scenario, lab))
                for line in rows[-1].lines():
                    tell(line)
            leftovers = find_leftovers(
                lab, logs=(lab.crew.logs, data_dir / "log"), secrets=tuple(_secrets_of(settings.NEKO))
            )
        self._show(Report(rows=tuple(rows), leftovers=leftovers, seed=drawn), in_json=options["json"])

    def _show(self, report: Report, *, in_json: bool) -> None:
        for line in [report.as_json()] if in_json else report.lines():
            self.stdout.write(line)
        if not report.is_clean:
            sys.exit(EXIT_FAULT)


def _secrets_of(environment: Environment) -> Iterator[str]:
    """What the processes are started with and no log may hold."""
    yield (environment.bot_token or "").partition(":")[2]
    for secret in (environment.webhook_secret, environment.hmac_pepper):
        yield secret or ""
    for entry in (environment.master_keys or "").split(","):
        yield entry.partition(":")[2]
