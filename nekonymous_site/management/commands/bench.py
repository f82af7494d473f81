"""Benchmarks, as ratios within one run."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from typing_extensions import override

from nekonymous_site.benchmarks.web_servers import measure_web_servers
from nekonymous_site.management.throwaway_installation import refuse_real_installation


class Command(BaseCommand):
    help = (
        "bench web: the same load of real updates through the webhook, one web server after another. Writes "
        "into the database, so it wants an empty one; ./neko bench starts one of its own."
    )

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["web"])
        parser.add_argument("--clients", type=int, default=8, help="updates on their way at once (8)")
        parser.add_argument("--updates", type=int, default=4000, help="updates for each server (4000)")

    @override
    def handle(self, *_args: Any, what: str, clients: int, updates: int, **_options: Any) -> None:
        refuse_real_installation("bench")
        self.stdout.write(f"{what}: {clients} clients, {updates} updates each; first row = 1.00\n")
        first: float | None = None
        for name, figures in measure_web_servers(clients=clients, updates=updates):
            speed = figures.updates_per_second
            first = first or speed
            self.stdout.write(
                f"{name:<36} {speed:7.0f}/s  x{speed / first:4.2f}  "
                f"p50 {figures.p50_ms:6.1f}  p95 {figures.p95_ms:6.1f}  p99 {figures.p99_ms:6.1f} ms  "
                f"refused {figures.refused}"
            )
