"""By system columns: rows of one transaction carry one number (xmin), and numbers are given out in order."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from nekonymous_site.attack_lab.attacks.lane_owners import guess_lane_owners
from nekonymous_site.attack_lab.findings import (
    Candidates,
    Findings,
    account_of,
    likeliest,
    match_by_rank,
    ticket_of,
)
from nekonymous_site.attack_lab.thiefs_view import AccountKey, Dump, Row, View

Owners = Mapping[int, list[AccountKey]]


def link_by_system_columns(view: View) -> Findings:
    """Name accounts of rows with a ticket's number; else pair the day's rows in the order of their numbers.

    Of an export without these columns nothing is said.
    """
    tickets = view.first.rows("tickets.ticket")
    if not all("xmin" in row for row in tickets):
        return Findings()
    waiting = [row for row in tickets if row["status"] == "sealed"]
    unread = _by_number(view.first.rows("accounts.unread"))
    return Findings(
        recipients={**_pair_in_order(waiting, view.first), **_name(waiting, unread)},
        senders=_name(tickets, _number_senders(view.first)),
    )


def _name(tickets: Sequence[Row], owners: Owners) -> Candidates:
    return {ticket_of(row): likeliest(owners[row["xmin"]]) for row in tickets if row["xmin"] in owners}


def _by_number(rows: Iterable[Row]) -> Owners:
    owners: dict[int, list[AccountKey]] = defaultdict(list)
    for row in rows:
        owners[row["xmin"]].append(account_of(row))
    return owners


def _number_senders(dump: Dump) -> Owners:
    """Rows of whoever acts, and the acknowledgement that waits in the lane of somebody."""
    owners: dict[int, list[AccountKey]] = defaultdict(list)
    for table, rows in dump.tables.items():
        if table != "accounts.unread":
            for row in rows:
                if "account_id" in row:
                    owners[row["xmin"]].append(account_of(row))
    lane_owners = guess_lane_owners(dump)
    for row in dump.rows("outbox.intent"):
        owners_of_lane = lane_owners.get(row["lane_tag"], frozenset())
        if row["kind"] == "acknowledgement" and owners_of_lane and row["xmin"] not in owners:
            owners[row["xmin"]].extend(owners_of_lane)
    return owners


def _pair_in_order(waiting: Sequence[Row], dump: Dump) -> Candidates:
    pairs: dict[object, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for row in sorted(waiting, key=lambda row: row["xmin"]):
        pairs[row["expires_on"]][0].append(row)
    for row in sorted(dump.rows("accounts.unread"), key=lambda row: row["xmin"]):
        pairs[row["expires_on"]][1].append(row)
    return {
        ticket_of(ticket): frozenset({account_of(unread[rank])})
        for tickets, unread in pairs.values()
        for ticket, rank in match_by_rank(tickets, unread)
    }
