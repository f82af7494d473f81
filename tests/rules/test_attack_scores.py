"""Right guesses are counted as they should be, and blind guessing is as good as it can be."""

import pytest
from handmade_dumps import ANNA, BELA, CARA, dump, key, seen_once, ticket, unread

from nekonymous_site.attack_lab.findings import Findings
from nekonymous_site.attack_lab.scoring import Ends, Score, Target, guess_blindly, list_targets, score_attack
from nekonymous_site.attack_lab.thiefs_view import View

TRUTH = {
    key(1): Ends(sender=ANNA, recipient=BELA),
    key(2): Ends(sender=ANNA, recipient=BELA),
    key(3): Ends(sender=BELA, recipient=CARA),
}
WAITING = seen_once(
    dump([ticket(1), ticket(2), ticket(3)], [unread(1, BELA), unread(2, BELA), unread(3, CARA)])
)


def target(*, recipient: bool = True, sender: bool = False) -> Target:
    return Target(name="it", asks_recipient=recipient, asks_sender=sender, tickets=list(TRUTH))


def scored(findings: Findings, asked: Target) -> Score:
    score = score_attack(findings, attack="a", target=asked, truth=TRUTH, view=WAITING)
    assert score is not None
    return score


def test_a_tie_counts_its_share() -> None:
    findings = Findings(
        recipients={key(1): frozenset({BELA}), key(2): frozenset({BELA, CARA}), key(3): frozenset({ANNA})}
    )

    assert scored(findings, target()).right == pytest.approx((1 + 1 / 2 + 0) / 3)


def test_blind_guessing_names_whoever_has_most_waiting() -> None:
    blind = guess_blindly(target(), truth=TRUTH, view=WAITING)

    assert blind.recipients[key(3)] == {BELA}
    assert scored(Findings(recipients=blind.recipients), target()).ratio == 1
    assert scored(Findings(recipients=blind.recipients), target()).blind == pytest.approx(2 / 3)


def test_blind_guessing_sees_who_got_or_lost_most_between_two_exports() -> None:
    later = dump([ticket(n) for n in (1, 2, 3)], [unread(n, CARA) for n in (4, 5, 6)])

    blind = guess_blindly(
        Target(name="it", asks_recipient=True, asks_sender=False, tickets=[key(3)]),
        truth=TRUTH,
        view=View(first=WAITING.first, second=later),
    )

    assert blind.recipients == {key(3): {CARA}}


def test_blind_guessing_of_senders_is_one_of_all() -> None:
    """Whoever has most waiting has sent one of three as well: no better than one account of three."""
    findings = Findings(senders={key(1): frozenset({ANNA})})
    score = scored(findings, target(recipient=False, sender=True))

    assert score.blind == pytest.approx(1 / 3)
    assert score.right == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)  # of the others it guesses blindly


def test_both_ends_have_to_be_right() -> None:
    findings = Findings(
        recipients={key(1): frozenset({BELA})}, senders={key(1): frozenset({ANNA}), key(3): frozenset({CARA})}
    )

    assert scored(findings, target(sender=True)).right == pytest.approx((1 + 1 / 3 + 0) / 3)


def test_an_attack_that_says_nothing_has_no_score() -> None:
    assert score_attack(Findings(), attack="a", target=target(), truth=TRUTH, view=WAITING) is None


def test_what_is_asked() -> None:
    first = dump([ticket(1), ticket(2), ticket(3, status="viewed")])
    second = dump([ticket(1), ticket(2, status="viewed"), ticket(3, status="viewed"), ticket(4)])

    asked = {one.name: set(one.tickets) for one in list_targets(View(first=first, second=second))}

    assert asked["recipient, waiting"] == asked["both, waiting"] == {key(1), key(2)}
    assert asked["sender, delivered"] == {key(3)}
    assert asked["recipient, in between"] == {key(2), key(4)}
    assert asked["sender, in between"] == {key(4)}
    assert not any(one.tickets for one in list_targets(seen_once(first)) if one.name.endswith("in between"))


def test_chance_is_set_aside() -> None:
    def score(right: float, *, tickets: int) -> Score:
        return Score(target="t", attack="a", right=right, blind=0.1, tickets=tickets)

    assert not score(0.30, tickets=10).exceeds(1)  # three of ten are luck
    assert score(0.30, tickets=1000).exceeds(1)
    assert not score(0.30, tickets=1000).exceeds(3)
    assert not score(1.0, tickets=1000).exceeds(20)
