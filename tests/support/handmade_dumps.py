"""Exports of a few rows made by hand, to try attacks on."""

from collections.abc import Mapping, Sequence
from datetime import date

from nekonymous_site.attack_lab.thiefs_view import AccountKey, Dump, Row, TicketKey, View

DAY = date(2026, 1, 1)
NEXT_DAY = date(2026, 1, 2)
ANNA, BELA, CARA = (AccountKey(name * 8) for name in (b"an", b"be", b"ca"))


def key(number: int) -> TicketKey:
    return TicketKey(number.to_bytes(32, "big"))


def ticket(number: int, **columns: object) -> dict[str, object]:
    return {
        "ticket_hash": key(number),
        "payload": bytes([number]) * 300,
        "status": "sealed",
        "expires_on": DAY,
    } | columns


def unread(number: int, account: AccountKey, **columns: object) -> dict[str, object]:
    return {
        "unread_id": bytes([number]) * 16,
        "account_id": account,
        "state": "waiting",
        "expires_on": DAY,
    } | columns


def intent(number: int, kind: str, **columns: object) -> dict[str, object]:
    return {
        "intent_id": bytes([number]) * 16,
        "kind": kind,
        "state": "sent",
        "lane_tag": None,
    } | columns


def dump(tickets: Sequence[Row] = (), unread: Sequence[Row] = (), **others: Sequence[Row]) -> Dump:
    """An export; a table besides is named with two underscores, as `outbox__lane`."""
    tables: Mapping[str, Sequence[Row]] = {name.replace("__", "."): rows for name, rows in others.items()}
    accounts: Sequence[Row] = [{"account_id": account} for account in (ANNA, BELA, CARA)]
    return Dump(
        tables={
            "accounts.account": accounts,
            "accounts.unread": unread,
            "tickets.ticket": tickets,
            **tables,
        }
    )


def seen_once(export: Dump) -> View:
    """A thief who came once."""
    return View(first=export, second=export)
