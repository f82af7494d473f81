"""Benchmarks, as ratios within one run."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from typing_extensions import override

from nekonymous_site.benchmarks.web_servers import measure_web_servers


def _refuse_real_installation() -> None:
    """A benchmark makes people up and empties tables, which nobody's installation must ever see."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM accounts.account) OR EXISTS (SELECT FROM outbox.bot_identity)"
        )
        in_use = cursor.fetchone() != (False,)
    if in_use or not settings.NEKO.api_url.startswith("http://127.0.0.1:"):
        raise CommandError("a benchmark wants an empty database and no real bot: ./neko bench brings both")


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
        _refuse_real_installation()
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
