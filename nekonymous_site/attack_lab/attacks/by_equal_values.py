"""By equal values: whatever stands in two places joins them."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Final

from nekonymous_site.attack_lab.findings import Candidates, Findings, likeliest, ticket_of
from nekonymous_site.attack_lab.thiefs_view import SYSTEM_COLUMNS, AccountKey, Dump, Row, TicketKey, View

# What more rows share tells nothing of one of them.
MOST_SHARING: Final = 20
SMALLEST_VALUE: Final = 8
STEPS: Final = 2

Place = tuple[str, int]
Places = Mapping[Hashable, list[Place]]


def link_by_equal_values(view: View) -> Findings:
    """Follow equal values from a ticket's row over at most two others to accounts.

    A column's name says which end it tells of, else its table does: unread rows belong to recipients, all
    others to whoever acts. Names and values of Redis's keys count as rows of one more table.
    """
    tables = {**view.first.tables, "redis": _redis_rows(view.first)}
    places = _index(tables)
    found = {
        ticket_of(row): [(place[0], tables[place[0]][place[1]]) for place in _reach(number, tables, places)]
        for number, row in enumerate(view.first.rows("tickets.ticket"))
    }
    return Findings(
        recipients=_name(found, end="recipient"),
        senders=_name(found, end="sender"),
    )


def _name(found: Mapping[TicketKey, list[tuple[str, Row]]], *, end: str) -> Candidates:
    named = {
        ticket: likeliest(account for table, row in rows for account in _accounts(table, row, end=end))
        for ticket, rows in found.items()
    }
    return {ticket: accounts for ticket, accounts in named.items() if accounts}


def _accounts(table: str, row: Row, *, end: str) -> Iterator[AccountKey]:
    of_table = "recipient" if table == "accounts.unread" else "sender"
    for column, value in row.items():
        if column.endswith("account_id") and value is not None:
            named = column.removesuffix("account_id").rstrip("_")
            if (named or of_table) == end:
                yield AccountKey(value)


def _reach(number: int, tables: Mapping[str, Any], places: Places) -> Iterable[Place]:
    start = ("tickets.ticket", number)
    seen = {start: None}
    edge = [start]
    for _ in range(STEPS):
        edge = [
            place
            for table, at in edge
            for value in _telling(tables[table][at])
            for place in places[value]
            if len(places[value]) <= MOST_SHARING and place not in seen
        ]
        seen |= dict.fromkeys(edge)
    return seen


def _index(tables: Mapping[str, Any]) -> Places:
    places: dict[Hashable, list[Place]] = defaultdict(list)
    for table, rows in tables.items():
        for number, row in enumerate(rows):
            for value in _telling(row):
                places[value].append((table, number))
    return places


def _telling(row: Row) -> set[Hashable]:
    """Values that are hardly equal by chance, small numbers under one name only. Accounts are the goal."""
    telling: set[Hashable] = set()
    for column, value in row.items():
        if column in SYSTEM_COLUMNS or column.endswith("account_id") or isinstance(value, bool):
            continue
        if isinstance(value, bytes | str) and len(value) >= SMALLEST_VALUE:
            telling.add(value)
        elif isinstance(value, int) and column.endswith("_id"):
            telling.add((column, value))
    return telling


def _redis_rows(dump: Dump) -> list[Row]:
    """Keys of Redis as rows; what looks like bytes in hexadecimal counts as those bytes too."""
    rows: list[Row] = []
    for key, (value, _) in dump.redis.items():
        words = key.decode(errors="replace").split(":")
        rows.append({"key": key, "value": value} | {f"word{n}": _as_bytes(w) for n, w in enumerate(words)})
    return rows


def _as_bytes(word: str) -> bytes | str:
    try:
        return bytes.fromhex(word)
    except ValueError:
        return word
