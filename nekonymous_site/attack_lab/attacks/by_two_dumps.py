"""By two dumps: what came, changed or went between them may have done so together."""

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    came: Sequence[Row]  # tickets
    waiting: Sequence[Row]  # those of them that wait still
    ended: Sequence[Row]  # tickets that waited before
    unread_that_came: Sequence[Row]
    unread_that_went: Sequence[Row]


def link_by_two_dumps(view: View) -> Findings:
    """Pair new tickets with new unread rows, ended ones with rows that went; senders lost a draft."""
    change = _compare(view)
    senders = likeliest(account_of(row) for row in _ended_traces(view))
    return Findings(
        recipients={
            **_pair(change.waiting, change.unread_that_came),
            **_pair(change.ended, change.unread_that_went),
        },
        senders=dict.fromkeys(map(ticket_of, change.came), senders) if senders else {},
    )


def link_by_changed_sets(view: View) -> Findings:
    """As by two dumps without any order: whoever got most, or lost most, is named for all."""
    change = _compare(view)
    got = likeliest(map(account_of, change.unread_that_came))
    lost = likeliest(map(account_of, change.unread_that_went))
    return Findings(
        recipients={
            **(dict.fromkeys(map(ticket_of, change.waiting), got) if got else {}),
            **(dict.fromkeys(map(ticket_of, change.ended), lost) if lost else {}),
        }
    )


def _compare(view: View) -> _Change:
    old = {ticket_of(row): row for row in view.first.rows("tickets.ticket")}
    new = {ticket_of(row): row for row in view.second.rows("tickets.ticket")}
    came = [row for ticket, row in new.items() if ticket not in old]
    return _Change(
        came=came,
        waiting=[row for row in came if row["status"] == "sealed"],
        ended=[row for ticket, row in old.items() if _has_ended(row, new.get(ticket))],
        unread_that_came=_missing(view.second, view.first),
        unread_that_went=_missing(view.first, view.second),
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
