"""Benchmarks, as ratios within one run."""

import argparse
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from nekonymous_site.benchmarks import reports
from nekonymous_site.benchmarks.accept_benchmark import MOST_ROUNDS, AcceptBenchmark
from nekonymous_site.benchmarks.accept_recording import record_accepts
from nekonymous_site.benchmarks.durability import read_durability
from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.made_up_people import make_recipients
from nekonymous_site.benchmarks.rounds import Level, RoundPlan, measure_accepts, measure_floor
from nekonymous_site.benchmarks.web_servers import measure_web_servers
from nekonymous_site.benchmarks.webhook_requests import WebhookRequests
from nekonymous_site.management.throwaway_installation import refuse_real_installation

MOST_CLIENTS: Final = 64
MOST_UPDATES: Final = 8000
_CLIENTS: Final = {"web": (8,)}
_UPDATES: Final = {"web": 4000}


def _client_numbers(text: str) -> tuple[int, ...]:
    """Read `1,8,32`."""
    parts = text.split(",")
    numbers = tuple(int(part) for part in parts if part.isdecimal())
    if len(numbers) != len(parts) or not all(1 <= number <= MOST_CLIENTS for number in numbers):
        raise argparse.ArgumentTypeError(f"{text!r} is not numbers from 1 to {MOST_CLIENTS} with commas")
    return numbers


def _between(lowest: int, highest: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not lowest <= int(text) <= highest:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {lowest} to {highest}")
        return int(text)

    return read


def _make_requests() -> WebhookRequests:
    return WebhookRequests(secret=settings.NEKO.webhook_secret or "", slugs=make_recipients())


class Command(BaseCommand):
    help = (
        "bench accept: messages through the webhook of the web process beside it, in turn with the floor. "
        "bench floor: an accept's own statements by pgbench. bench web: one load, one web server after "
        "another. All write into the database, so they want an empty one; ./neko bench starts one of its "
        "own, and the web process."
    )

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["accept", "floor", "web"])
        parser.add_argument(
            "--clients", type=_client_numbers, help="how many at once, one after another (1,8,32; web 8)"
        )
        parser.add_argument(
            "--updates",
            type=_between(64, MOST_UPDATES),
            help="messages a round (2000); for each server (4000)",
        )
        parser.add_argument("--rounds", type=_between(1, 9), help="rounds in turn (3; web has one)")
        parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")

    @override
    def handle(self, *_args: Any, what: str, **options: Any) -> None:
        refuse_real_installation("bench")
        plan = RoundPlan(
            clients=options["clients"] or _CLIENTS.get(what, (1, 8, 32)),
            messages=options["updates"] or _UPDATES.get(what, 2000),
            rounds=options["rounds"] or 3,
        )
        if what == "web" and options["rounds"]:
            raise CommandError("bench web has no rounds: repeat it")
        if plan.rounds * len(plan.clients) >= MOST_ROUNDS:  # the warm-up is one too
            raise CommandError(f"together that is more than {MOST_ROUNDS - 1} rounds")
        try:
            if what == "web":
                self._compare_servers(plan, as_json=options["json"])
            else:
                self._measure(what, plan, as_json=options["json"])
        except BenchmarkFailed as failure:
            raise CommandError(str(failure)) from failure

    def _compare_servers(self, plan: RoundPlan, *, as_json: bool) -> None:
        makes = _make_requests()
        found = []
        for clients in plan.clients:
            if not as_json:
                self.stdout.write(f"web: {clients} clients, {plan.messages} updates each; first row = 1.00\n")
            first: float | None = None
            for name, figures in measure_web_servers(makes, clients=clients, updates=plan.messages):
                first = first or figures.per_second
                found.append({"clients": clients, **reports.server_json(name, figures)})
                if not as_json:
                    self.stdout.write(reports.describe_server(name, figures, first=first))
        if as_json:
            self.stdout.write(json.dumps({"what": "web", "servers": found}))

    def _measure(self, what: str, plan: RoundPlan, *, as_json: bool) -> None:
        durability = read_durability()
        makes = _make_requests()
        recording = record_accepts(makes)
        if not as_json:
            self.stdout.write(
                f"{what}: {plan.messages} messages a round, {plan.rounds} rounds; no workers run"
            )
            self.stdout.write(reports.describe_durability(durability))
            self.stdout.write(reports.describe_recording(recording))
        levels: Iterator[Level] = (
            measure_floor(recording, plan)
            if what == "floor"
            else measure_accepts(AcceptBenchmark(makes, recording), recording, plan)
        )
        found = []
        for level in levels:
            found.append(reports.level_json(level))
            for line in () if as_json else reports.describe_level(level):
                self.stdout.write(line)
        if as_json:
            per_accept = reports.recording_json(recording)
            self.stdout.write(
                json.dumps(
                    {"what": what, "durability": dict(durability), "per_accept": per_accept, "levels": found}
                )
            )
