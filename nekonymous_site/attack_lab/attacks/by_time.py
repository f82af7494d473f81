"""By time: the finest time that a ticket's row shares with a row of somebody's."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from nekonymous_site.attack_lab.findings import Candidates, Findings, account_of, likeliest, ticket_of
from nekonymous_site.attack_lab.thiefs_view import AccountKey, Row, View

Owners = Mapping[date, list[AccountKey]]


def link_by_time(view: View) -> Findings:
    """Name whoever has most rows of a ticket's time: unread rows for its recipient, others for its sender.

    Of several equal times the one that the fewest rows share counts. Days and exact times are told apart.
    """
    unread: dict[date, list[AccountKey]] = defaultdict(list)
    others: dict[date, list[AccountKey]] = defaultdict(list)
    for table, rows in view.first.tables.items():
        owners = unread if table == "accounts.unread" else others
        for row in rows:
            if "account_id" in row:
                for time in _times(row):
                    owners[time].append(account_of(row))
    tickets = view.first.rows("tickets.ticket")
    waiting = [row for row in tickets if row["status"] == "sealed"]
    return Findings(recipients=_name(waiting, unread), senders=_name(tickets, others))


def _name(tickets: Sequence[Row], owners: Owners) -> Candidates:
    shared = {
        ticket_of(ticket): min(
            (owners[time] for time in _times(ticket) if time in owners), key=len, default=None
        )
        for ticket in tickets
    }
    return {ticket: likeliest(accounts) for ticket, accounts in shared.items() if accounts}


def _times(row: Row) -> Iterable[date]:
    """Days, hours and times; a datetime never equals a date."""
    return [value for value in row.values() if isinstance(value, date)]
