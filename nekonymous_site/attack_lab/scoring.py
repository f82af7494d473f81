"""How often an attack is right, beside how often whoever only guesses would be."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nekonymous_site.attack_lab.findings import Findings, likeliest
from nekonymous_site.attack_lab.thiefs_view import AccountKey, TicketKey, View

NOISE_DEVIATIONS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Who wrote a ticket, and to whom."""

    sender: AccountKey
    recipient: AccountKey


Truth = Mapping[TicketKey, Ends]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is asked: one end (or both) of some of the tickets."""

    name: str
    asks_recipient: bool
    asks_sender: bool
    tickets: Sequence[TicketKey]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The share of right guesses over so many tickets, of an attack and of blind guessing."""

    target: str
    attack: str
    right: float
    blind: float
    tickets: int

    @property
    def ratio(self) -> float:
        return self.right / self.blind if self.blind else math.inf

    def exceeds(self, ratio: float) -> bool:
        """Tell whether this is more than so many times guessing, chance set aside.

        Chance: three standard deviations of the share of right guesses if each were right with probability
        `ratio` times blind, sqrt(p (1 - p) / n) each (binomial).
        """
        most = min(ratio * self.blind, 1.0)
        deviation = math.sqrt(most * (1 - most) / self.tickets) if self.tickets else 0.0
        return self.right > most + NOISE_DEVIATIONS * deviation


def list_targets(view: View) -> list[Target]:
    """List what is asked: of waiting and of delivered tickets, and of those that came or ended in between."""
    old = {TicketKey(row["ticket_hash"]): row["status"] for row in view.first.rows("tickets.ticket")}
    new = {TicketKey(row["ticket_hash"]): row["status"] for row in view.second.rows("tickets.ticket")}
    waiting = [ticket for ticket, status in old.items() if status == "sealed"]
    ended = [ticket for ticket, status in old.items() if status != "sealed"]
    came = [ticket for ticket in new if ticket not in old]
    moved = came + [ticket for ticket in waiting if new.get(ticket) != "sealed"]
    return [
        Target(name="recipient, waiting", asks_recipient=True, asks_sender=False, tickets=waiting),
        Target(name="recipient, delivered", asks_recipient=True, asks_sender=False, tickets=ended),
        Target(name="recipient, in between", asks_recipient=True, asks_sender=False, tickets=moved),
        Target(name="sender, waiting", asks_recipient=False, asks_sender=True, tickets=waiting),
        Target(name="sender, delivered", asks_recipient=False, asks_sender=True, tickets=ended),
        Target(name="sender, in between", asks_recipient=False, asks_sender=True, tickets=came),
        Target(name="both, waiting", asks_recipient=True, asks_sender=True, tickets=waiting),
        Target(name="both, in between", asks_recipient=True, asks_sender=True, tickets=came),
    ]


def guess_blindly(target: Target, *, truth: Truth, view: View) -> Findings:
    """Guess without any link: the same set of accounts for every ticket, the best of three at each end.

    Of the waiting tickets a share c_a / N is account a's, which the export says in the clear (unread rows).
    Naming the a with the largest c_a is right with probability max c_a / N, and no rule that treats all
    tickets alike is right more often, since sum p_a c_a / N <= max c_a / N for any probabilities p_a. Of what
    came or went between two exports the rows that did so say as much. Of everything else no shares are said:
    any of n accounts is right with probability 1 / n, unless one of the former is a better guess there too.
    Which it is, is decided with the truth at hand, so blind guessing is never made to look worse than it is.
    """
    everybody = frozenset(AccountKey(row["account_id"]) for row in view.first.rows("accounts.account"))
    first, second = (
        {row["unread_id"]: row for row in dump.rows("accounts.unread")} for dump in (view.first, view.second)
    )
    changed = [{**first, **second}[unread_id] for unread_id in first.keys() ^ second.keys()]
    most_rows = (
        likeliest(AccountKey(row["account_id"]) for row in rows) for rows in (first.values(), changed)
    )
    sets = [everybody, *(accounts for accounts in most_rows if accounts)]
    guesses = [
        Findings(
            recipients=dict.fromkeys(target.tickets, recipient),
            senders=dict.fromkeys(target.tickets, sender),
        )
        for recipient in sets
        for sender in sets
    ]
    return max(guesses, key=lambda guess: _share_right(guess, target=target, truth=truth))


def score_attack(
    findings: Findings, *, attack: str, target: Target, truth: Truth, view: View
) -> Score | None:
    """Score an attack on a target; None when it says nothing of any of the tickets.

    Of tickets that it says nothing of it guesses blindly. A guess is one of the candidates, all equally
    likely, so it is right with probability 1 / (their number) if the truth is among them, else never.
    """
    asked = {
        **(findings.recipients if target.asks_recipient else {}),
        **(findings.senders if target.asks_sender else {}),
    }
    if asked.keys().isdisjoint(target.tickets):
        return None
    blind = guess_blindly(target, truth=truth, view=view)
    filled = Findings(
        recipients={**blind.recipients, **findings.recipients}, senders={**blind.senders, **findings.senders}
    )
    return Score(
        target=target.name,
        attack=attack,
        right=_share_right(filled, target=target, truth=truth),
        blind=_share_right(blind, target=target, truth=truth),
        tickets=len(target.tickets),
    )


def _share_right(findings: Findings, *, target: Target, truth: Truth) -> float:
    right = 0.0
    for ticket in target.tickets:
        ends = truth[ticket]
        chance = 1.0
        if target.asks_recipient:
            chance *= _chance(findings.recipients[ticket], ends.recipient)
        if target.asks_sender:
            chance *= _chance(findings.senders[ticket], ends.sender)
        right += chance
    return right / len(target.tickets)


def _chance(candidates: frozenset[AccountKey], account: AccountKey) -> float:
    return 1 / len(candidates) if account in candidates else 0.0
