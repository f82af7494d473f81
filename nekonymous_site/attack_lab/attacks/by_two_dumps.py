"""By two dumps: what came, changed or went between them may have done so together."""

from collections.abc import Sequence

from nekonymous_site.attack_lab.findings import (
    Candidates,
    Findings,
    account_of,
    likeliest,
    match_by_rank,
    ticket_of,
)
from nekonymous_site.attack_lab.thiefs_view import Dump, Row, View

# Where the row of somebody who sends something goes or is written anew.
_TRACES_OF_SENDERS = ("accounts.draft", "accounts.composition")


def link_by_two_dumps(view: View) -> Findings:
    """Pair new tickets with new unread rows, delivered ones with rows that went; senders lost a draft."""
    old = {ticket_of(row): row for row in view.first.rows("tickets.ticket")}
    new = {ticket_of(row): row for row in view.second.rows("tickets.ticket")}
    came = [row for ticket, row in new.items() if ticket not in old]
    gone = [row for ticket, row in old.items() if _has_ended(row, new.get(ticket))]
    came_unread = _missing(view.second, view.first)
    gone_unread = _missing(view.first, view.second)
    senders = likeliest(account_of(row) for row in _ended_traces(view))
    still = [row for row in came if row["status"] == "sealed"]
    return Findings(
        recipients={**_pair(still, came_unread), **_pair(gone, gone_unread)},
        senders={ticket_of(row): senders for row in came} if senders else {},
    )


def _pair(tickets: Sequence[Row], unread: Sequence[Row]) -> Candidates:
    return {
        ticket_of(ticket): frozenset({account_of(unread[rank])})
        for ticket, rank in match_by_rank(tickets, unread)
    }


def _missing(here: Dump, there: Dump) -> list[Row]:
    known = {row["unread_id"] for row in there.rows("accounts.unread")}
    return [row for row in here.rows("accounts.unread") if row["unread_id"] not in known]


def _has_ended(before: Row, after: Row | None) -> bool:
    return before["status"] == "sealed" and (after is None or after["status"] != "sealed")


def _ended_traces(view: View) -> list[Row]:
    return [
        row
        for table in _TRACES_OF_SENDERS
        for row in view.first.rows(table)
        if row["body"] not in {later["body"] for later in view.second.rows(table)}
    ]
