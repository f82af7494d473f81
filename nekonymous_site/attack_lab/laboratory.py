"""One run: a population lives, a thief takes two exports, every attack is tried and scored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from nekonymous_site.attack_lab.attacks.by_equal_values import link_by_equal_values
from nekonymous_site.attack_lab.attacks.by_order import link_by_blurred_order, link_by_order
from nekonymous_site.attack_lab.attacks.by_size import link_by_size
from nekonymous_site.attack_lab.attacks.by_system_columns import link_by_system_columns
from nekonymous_site.attack_lab.attacks.by_time import link_by_time
from nekonymous_site.attack_lab.attacks.by_two_dumps import link_by_changed_sets, link_by_two_dumps
from nekonymous_site.attack_lab.attacks.combined import combine
from nekonymous_site.attack_lab.findings import Findings
from nekonymous_site.attack_lab.judge import Judge
from nekonymous_site.attack_lab.laid_days import LaidDays
from nekonymous_site.attack_lab.product_steps import ProductSteps
from nekonymous_site.attack_lab.scoring import Score, Truth, list_targets, score_attack
from nekonymous_site.attack_lab.thiefs_view import Dump, View, read_dump, without_system_columns
from nekonymous_site.attack_lab.town_life import MESSAGES_A_ROUND, TownLife
from nekonymous_site.bot.telegram_updates import identify_bot
from nekonymous_site.sandbox.people import Sandbox

DAYS: Final = 4
BETWEEN_DUMPS: Final = 0.1  # of the messages
FAILING_FROM: Final = 0.85
MAINTENANCE_ROUNDS: Final = 120  # beat purges every two minutes, and a round is about a second

# The surest first, as far as they can be combined.
ATTACKS: Final[Mapping[str, Callable[[View], Findings]]] = {
    "equal values": link_by_equal_values,
    "system columns": link_by_system_columns,
    "two dumps": link_by_two_dumps,
    "changed sets": link_by_changed_sets,
    "order": link_by_order,
    "order, blurred": link_by_blurred_order,
    "time": link_by_time,
    "size": link_by_size,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """What the thief has, with all that a superuser reads, and what only the judge knows."""

    view: View
    truth: Truth = field(repr=False)


class Laboratory:
    """Lets a population live on an empty database and a sandbox. Not to be repeated on the same database."""

    def __init__(self, sandbox: Sandbox, *, seed: int) -> None:
        self._rng = Random(seed)  # noqa: S311 - made-up habits, to be drawn again from the same seed
        self._rounds = 0
        self._steps = ProductSteps()
        self._judge = Judge()
        self._life = TownLife(sandbox, steps=self._steps, judge=self._judge, rng=self._rng)

    def catch(self, *, people: int, messages: int) -> Catch:
        """Live for some days, be copied in the middle of things, live on, be copied again."""
        identify_bot()
        self._life.settle_in(people)
        days = LaidDays()
        before, between = messages - round(messages * BETWEEN_DUMPS), round(messages * BETWEEN_DUMPS)
        for day in range(DAYS):
            is_last = day == DAYS - 1
            self._live(before // DAYS, failing=is_last)
            if not is_last:
                self._steps.pass_night()
                days.end_day(read_dump())
        first = days.lay_over(self._stop_midway())
        self._live(between)
        return Catch(
            view=View(first=first, second=days.lay_over(self._stop_midway())), truth=dict(self._judge.truth)
        )

    def _live(self, messages: int, *, failing: bool = False) -> None:
        left = messages
        while left > 0:
            if failing and left <= messages * (1 - FAILING_FROM):
                self._life.break_chats()
                failing = False
            written = min(self._rng.randint(*MESSAGES_A_ROUND), left)
            left -= written
            self._life.act(written)
            self._answer()
            self._rounds += 1
            if self._rounds % MAINTENANCE_ROUNDS == 0:
                self._steps.maintain()

    def _answer(self) -> None:
        self._steps.take_updates()
        self._judge.learn()
        self._steps.notify()
        self._steps.drain()
        self._steps.pump()
        self._steps.hear_bells()
        self._life.read_chats()

    def _stop_midway(self) -> Dump:
        """Let people begin things, and stop the product after some of its steps."""
        self._life.leave_things_open()
        self._life.act(self._rng.randint(*MESSAGES_A_ROUND))
        self._steps.take_updates()
        self._judge.learn()
        steps: Sequence[Callable[[], object]] = (
            self._steps.notify,
            self._steps.drain,
            lambda: self._steps.pump(most_rounds=2),
        )
        done = self._rng.randint(0, len(steps))
        for step in steps[:done]:
            step()
        dump = read_dump()
        for step in steps[done:]:
            step()
        self._life.read_chats()
        return dump


def score_view(view: View, *, truth: Truth) -> list[Score]:
    """Try every attack, alone and combined, on a view. Pure."""
    findings = {name: attack(view) for name, attack in ATTACKS.items()}
    findings["combined"] = combine(list(findings.values()))
    return [
        score
        for target in list_targets(view)
        if target.tickets
        for name, found in findings.items()
        if (score := score_attack(found, attack=name, target=target, truth=truth, view=view))
    ]


def score_levels(catch: Catch) -> dict[str, list[Score]]:
    """Score what a plain dump tells, and what the server's own columns tell besides."""
    plain = View(
        first=without_system_columns(catch.view.first), second=without_system_columns(catch.view.second)
    )
    return {
        "plain dump": score_view(plain, truth=catch.truth),
        "with system columns": score_view(catch.view, truth=catch.truth),
    }
