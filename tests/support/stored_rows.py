"""What lies in the tables, read past the product: for checks of what is written, and to put time behind."""

from typing import LiteralString

from django.db import connection

Row = tuple[object, ...]


def read_rows(sql: LiteralString, parameters: list[object] | None = None) -> list[Row]:
    """Read rows; bytes come as bytes."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or [])
        return [tuple(_plain(value) for value in row) for row in cursor.fetchall()]


def read_value(sql: LiteralString, parameters: list[object] | None = None) -> object:
    """Read the one value of the one row that there must be."""
    [[value]] = read_rows(sql, parameters)
    return value


def change_rows(sql: LiteralString, parameters: list[object] | None = None) -> int:
    """Write past the product, as time or a fault would; tells how many rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or [])
        return int(cursor.rowcount)


def intent_states(kind: str) -> list[object]:
    """The states of all intents of a kind."""
    return [
        state for (state,) in read_rows("SELECT state FROM outbox.intent WHERE kind = %s ORDER BY 1", [kind])
    ]


def expire_leases() -> None:
    """Let every lease pass, as if its minute were over."""
    change_rows(
        "UPDATE outbox.lane SET lease_until = now() - interval '1 second', due_at = now() WHERE lease_id IS NOT NULL"
    )


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value
