"""By size: what is sealed has a length, and equal lengths may be the same message."""

from collections import defaultdict

from nekonymous_site.attack_lab.findings import Findings, account_of, likeliest, ticket_of
from nekonymous_site.attack_lab.thiefs_view import AccountKey, Row, View


def link_by_size(view: View) -> Findings:
    """Name whoever has most rows with something as long as a ticket's payload: unread rows, and others."""
    unread: dict[int, list[AccountKey]] = defaultdict(list)
    others: dict[int, list[AccountKey]] = defaultdict(list)
    for table, rows in view.first.tables.items():
        owners = unread if table == "accounts.unread" else others
        for row in rows:
            if "account_id" in row:
                for length in _lengths(row):
                    owners[length].append(account_of(row))
    sizes = {ticket_of(row): len(row["payload"]) for row in _with_payload(view)}
    return Findings(
        recipients={ticket: likeliest(unread[size]) for ticket, size in sizes.items() if size in unread},
        senders={ticket: likeliest(others[size]) for ticket, size in sizes.items() if size in others},
    )


def _with_payload(view: View) -> list[Row]:
    return [row for row in view.first.rows("tickets.ticket") if row["payload"] is not None]


def _lengths(row: Row) -> set[int]:
    """The lengths of what is sealed, and sizes that stand in the clear."""
    sealed = {len(value) for value in row.values() if isinstance(value, bytes)}
    return sealed | {row[column] for column in row if column.endswith("_bytes")}
