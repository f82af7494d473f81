"""``./neko attack``: how well a thief links senders with recipients, beside blind guessing."""

import json
import logging
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from nekonymous_site.attack_lab.laboratory import Laboratory, score_levels
from nekonymous_site.attack_lab.product_steps import LabStuck
from nekonymous_site.attack_lab.scoring import Score
from nekonymous_site.management.throwaway_installation import refuse_real_installation
from nekonymous_site.rate_limits import Rates
from nekonymous_site.sandbox.people import Sandbox, SandboxRefused, SandboxUnreachable
from outbox.telegram_client import BotApiFailure

FEWEST_PEOPLE: Final = 5
MOST_PEOPLE: Final = 2000
MOST_MESSAGES: Final = 20_000


class Command(BaseCommand):
    help = (
        "Lets made-up people write to each other, takes two exports as a thief without keys would, tries to "
        "link senders with recipients, and compares the share of right guesses with blind guessing. Writes "
        "into the database, so it wants an empty one; ./neko attack starts one of its own, and a sandbox."
    )

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--people", type=int, default=200, help="made-up people (200)")
        parser.add_argument("--messages", type=int, default=2000, help="messages that they write (2000)")
        parser.add_argument("--seed", type=int, help="of what people do; drawn and shown unless given")
        parser.add_argument("--json", action="store_true", help="figures as JSON")
        parser.add_argument(
            "--most-ratio",
            type=float,
            help="fail when an attack on a plain dump is right more than so many times as often as guessing",
        )

    @override
    def handle(self, *_args: Any, people: int, messages: int, **options: Any) -> None:
        if not (FEWEST_PEOPLE <= people <= MOST_PEOPLE and 1 <= messages <= MOST_MESSAGES):
            reason = f"--people is {FEWEST_PEOPLE} to {MOST_PEOPLE}, --messages 1 to {MOST_MESSAGES}"
            raise CommandError(reason)
        refuse_real_installation("attack")
        seed = secrets.randbelow(2**32) if options["seed"] is None else options["seed"]
        try:
            with _quiet_and_fast():
                laboratory = Laboratory(Sandbox(settings.NEKO.api_url), seed=seed)
                caught = laboratory.catch(people=people, messages=messages)
        except (BotApiFailure, SandboxRefused, SandboxUnreachable, LabStuck) as error:
            reason = f"the laboratory came to a stop: {type(error).__name__} {error}"
            raise CommandError(reason) from None
        levels = score_levels(caught)
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(levels, seed=seed), indent=2))
        else:
            self._show(levels, seed=seed)
        self._judge(levels["plain dump"], most_ratio=options["most_ratio"])

    def _show(self, levels: Mapping[str, Sequence[Score]], *, seed: int) -> None:
        self.stdout.write(f"seed {seed}; right and blind: share of right guesses")
        for level, scores in levels.items():
            self.stdout.write(f"\n{level}")
            self.stdout.write(
                f"  {'target':<22} {'attack':<15} {'tickets':>7} {'right':>6} {'blind':>6} ratio"
            )
            for one in scores:
                self.stdout.write(
                    f"  {one.target:<22} {one.attack:<15} {one.tickets:>7} {one.right:6.3f} {one.blind:6.3f} "
                    f"x{one.ratio:.1f}"
                )

    def _judge(self, scores: Sequence[Score], *, most_ratio: float | None) -> None:
        if most_ratio is None:
            return
        exceeding = [one for one in scores if one.exceeds(most_ratio)]
        for one in exceeding:
            self.stderr.write(f"{one.target}, {one.attack}: x{one.ratio:.1f} is more than x{most_ratio:g}")
        if exceeding:
            sys.exit(1)


@contextmanager
def _quiet_and_fast() -> Iterator[None]:
    """Leave out a line for each of thousands of steps, and let people act faster than anybody."""
    root, rates = logging.getLogger(), settings.NEKO_RATES
    level = root.level
    root.setLevel(logging.WARNING)
    settings.NEKO_RATES = Rates(updates=10**6, first_messages=10**6)
    try:
        yield
    finally:
        root.setLevel(level)
        settings.NEKO_RATES = rates


def _as_json(levels: Mapping[str, Sequence[Score]], *, seed: int) -> dict[str, object]:
    return {
        "seed": seed,
        "levels": {
            level: [{**asdict(one), "ratio": one.ratio} for one in scores] for level, scores in levels.items()
        },
    }
