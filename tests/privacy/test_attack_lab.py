"""The laboratory in its short form: a population lives in the sandbox, and its export is attacked."""

from random import Random

import pytest
from town import Town

from nekonymous_site.attack_lab.controls import read_naive_control, read_shuffled_control
from nekonymous_site.attack_lab.laboratory import Catch, Laboratory, score_levels, score_view
from nekonymous_site.attack_lab.population import draw_habits
from nekonymous_site.attack_lab.scoring import Score
from nekonymous_site.attack_lab.thiefs_view import TicketKey

PEOPLE = 40
MESSAGES = 250
SEED = 20261201
# Times blind guessing, chance set aside, by what is asked. A change that makes linking easier has to be seen.
MOST_RATIOS = {
    "recipient, waiting": 2.0,
    "recipient, in between": 4.0,
    "recipient, delivered": 1.0,
    "sender, waiting": 1.0,
    "sender, delivered": 1.0,
    "sender, in between": 2.0,
}


def rng(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - to be drawn again


def named(scores: list[Score]) -> dict[tuple[str, str], Score]:
    return {(one.target, one.attack): one for one in scores}


def test_an_export_is_attacked(lasting_town: Town) -> None:
    """One run for all questions, since it takes a quarter of a minute."""
    caught = Laboratory(lasting_town.sandbox, seed=SEED).catch(people=PEOPLE, messages=MESSAGES)

    check_the_catch(caught)
    check_that_attackers_bite(caught)
    check_that_attackers_know_nothing_else(caught)
    check_figures(score_levels(caught)["plain dump"])


def check_the_catch(caught: Catch) -> None:
    """The thief came in the middle of things: with messages waiting, work on its way and things begun."""
    first, second = caught.view.first, caught.view.second
    states = {row["status"] for row in first.rows("tickets.ticket")}
    assert states >= {"sealed", "viewed"}
    assert len({row["expires_on"] for row in first.rows("tickets.ticket")}) > 1
    assert {TicketKey(row["ticket_hash"]) for row in second.rows("tickets.ticket")} == caught.truth.keys()
    live = [row for row in first.rows("outbox.intent") if row["lane_tag"] is not None]
    assert live
    assert any(row["parked_until"] for row in first.rows("outbox.lane"))
    assert first.rows("accounts.draft")
    assert first.rows("accounts.composition")
    assert len(caught.truth) > MESSAGES * 0.7
    waiting = [row for row in first.rows("tickets.ticket") if row["status"] == "sealed"]
    assert len(waiting) == len(first.rows("accounts.unread")) > 10


def check_that_attackers_bite(caught: Catch) -> None:
    scores = named(score_view(read_naive_control(caught.view, truth=caught.truth), truth=caught.truth))

    for target in ("recipient, waiting", "recipient, delivered", "sender, waiting", "sender, delivered"):
        assert scores[target, "combined"].right >= 0.95, scores[target, "combined"]
        assert scores[target, "equal values"].right >= 0.95
    assert scores["both, waiting", "combined"].right >= 0.95
    assert scores["recipient, waiting", "order"].right >= 0.95
    assert scores["recipient, waiting", "time"].right >= 0.95
    assert scores["recipient, waiting", "order"].exceeds(1)


def check_that_attackers_know_nothing_else(caught: Catch) -> None:
    view = read_shuffled_control(caught.view, rng=rng(SEED))

    exceeding = [one for one in score_view(view, truth=caught.truth) if one.exceeds(1)]

    assert exceeding == []


def check_figures(scores: list[Score]) -> None:
    """No equal value joins anything, nothing tells who sent a ticket, and the rest is what is known."""
    exceeding = [one for one in scores if one.target in MOST_RATIOS and one.exceeds(MOST_RATIOS[one.target])]

    assert not any(one.attack == "equal values" for one in scores)
    assert exceeding == []
    assert any(one.target == "recipient, waiting" for one in scores)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_seed_draws_the_same_people(seed: int) -> None:
    assert draw_habits(30, rng=rng(seed)) == draw_habits(30, rng=rng(seed))
    assert draw_habits(30, rng=rng(seed)) != draw_habits(30, rng=rng(seed + 10))
