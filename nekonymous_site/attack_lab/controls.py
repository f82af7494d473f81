"""Controls: what the same attackers make of a schema that hides nothing, and of one that tells nothing.

The first shows that they bite, the second that they know nothing but what they are shown.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any, Final

from django.db import connection, transaction

from nekonymous_site.attack_lab.scoring import Truth
from nekonymous_site.attack_lab.thiefs_view import (
    Dump,
    Row,
    View,
    read_dump,
    without_system_columns,
)

_PREFIX: Final = "control_"
_ONE_DAY: Final = date(2026, 1, 1)
_FIRST_MOMENT: Final = datetime(2026, 1, 1, tzinfo=UTC)

_NAIVE_TABLES: Final = """
    CREATE SCHEMA control_tickets;
    CREATE SCHEMA control_accounts;
    CREATE TABLE control_accounts.account (account_id bytea PRIMARY KEY);
    CREATE TABLE control_tickets.ticket (
        ticket_id bigserial PRIMARY KEY, ticket_hash bytea, payload bytea, status text,
        created_at timestamptz, expires_on date);
    CREATE TABLE control_accounts.unread (
        unread_id bytea PRIMARY KEY, account_id bytea, ticket_id bigint, state text, created_at timestamptz,
        expires_on date);
    CREATE TABLE control_accounts.message (
        ticket_id bigint, sender_account_id bytea, recipient_account_id bytea, created_at timestamptz);
"""


def read_naive_control(view: View, *, truth: Truth) -> View:
    """Keep the same tickets as somebody would who thinks of nothing: times, numbers, a plain message table.

    The tables are made in a transaction that is rolled back.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_NAIVE_TABLES)
            for row in view.first.rows("accounts.account"):
                cursor.execute("INSERT INTO control_accounts.account VALUES (%s)", [row["account_id"]])
            for number, row in enumerate(view.first.rows("tickets.ticket"), 1):
                _insert_naively(cursor, number, row, truth=truth)
        dump = read_dump(prefix=_PREFIX)
        transaction.set_rollback(True)
    return View(first=dump, second=dump)


def _insert_naively(cursor: Any, number: int, row: Row, *, truth: Truth) -> None:  # noqa: ANN401 - Django's
    ends = truth[row["ticket_hash"]]
    moment = _FIRST_MOMENT + timedelta(seconds=number)
    cursor.execute(
        "INSERT INTO control_tickets.ticket VALUES (%s, %s, %s, %s, %s, %s)",
        [number, row["ticket_hash"], row["payload"], row["status"], moment, _ONE_DAY],
    )
    cursor.execute(
        "INSERT INTO control_accounts.message VALUES (%s, %s, %s, %s)",
        [number, ends.sender, ends.recipient, moment],
    )
    if row["status"] == "sealed":
        cursor.execute(
            "INSERT INTO control_accounts.unread VALUES (%s, %s, %s, 'waiting', %s, %s)",
            [number.to_bytes(16, "big"), ends.recipient, number, moment, _ONE_DAY],
        )


def read_shuffled_control(view: View, *, rng: Random) -> View:
    """Take from an export what is known to join rows: order, days, the server's columns, a second moment."""
    first = without_system_columns(view.first)
    dump = Dump(
        tables={name: _shuffle(rows, rng=rng) for name, rows in first.tables.items()}, redis=first.redis
    )
    return View(first=dump, second=dump)


def _shuffle(rows: Sequence[Row], *, rng: Random) -> list[Row]:
    on_one_day = [{column: _without_day(value) for column, value in row.items()} for row in rows]
    return rng.sample(on_one_day, len(on_one_day))


def _without_day(value: Any) -> Any:  # noqa: ANN401 - whatever a column holds
    return _ONE_DAY if isinstance(value, date) and not isinstance(value, datetime) else value
