"""By physical order: a plain dump lists rows as they lie, and they lie about as they were written."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from nekonymous_site.attack_lab.attacks.lane_owners import guess_lane_owners
from nekonymous_site.attack_lab.findings import Candidates, Findings, account_of, match_by_rank, ticket_of
from nekonymous_site.attack_lab.thiefs_view import AccountKey, Dump, Row, View

BLUR_ROWS: Final = 4


def link_by_order(view: View) -> Findings:
    """Of a day's undelivered tickets the n-th has the n-th unread row; the n-th answer went to its sender."""
    return Findings(recipients=_pair_waiting(view.first), senders=_pair_answers(view.first))


def link_by_blurred_order(view: View) -> Findings:
    """As by order, but whoever has most rows about the place is named, the nearer the more they count."""
    return Findings(recipients=_pair_waiting(view.first, blur=BLUR_ROWS))


def _pair_waiting(dump: Dump, *, blur: int = 0) -> Candidates:
    waiting = [row for row in dump.rows("tickets.ticket") if row["status"] == "sealed"]
    unread = _by_day(dump.rows("accounts.unread"))
    return {
        ticket_of(ticket): _name_about(unread[day], rank, blur=blur)
        for day, tickets in _by_day(waiting).items()
        for ticket, rank in match_by_rank(tickets, unread.get(day, []))
    }


def _name_about(rows: Sequence[Row], rank: int, *, blur: int) -> frozenset[AccountKey]:
    weights: Counter[AccountKey] = Counter()
    for place in range(max(rank - blur, 0), min(rank + blur + 1, len(rows))):
        # In whole numbers, so that equal weights are equal.
        weights[account_of(rows[place])] += 5040 // (1 + abs(place - rank))
    most = max(weights.values())
    return frozenset(account for account, weight in weights.items() if weight == most)


def _pair_answers(dump: Dump) -> Candidates:
    """Lay acknowledgements beside tickets; one that still waits names a lane, and that perhaps an account."""
    answers = [row for row in dump.rows("outbox.intent") if row["kind"] == "acknowledgement"]
    owners = guess_lane_owners(dump)
    pairs = match_by_rank(dump.rows("tickets.ticket"), answers)
    named = {ticket_of(ticket): owners.get(answers[rank]["lane_tag"]) for ticket, rank in pairs}
    return {ticket: owner for ticket, owner in named.items() if owner}


def _by_day(rows: Sequence[Row]) -> dict[object, list[Row]]:
    days: dict[object, list[Row]] = {}
    for row in rows:
        days.setdefault(row["expires_on"], []).append(row)
    return days
