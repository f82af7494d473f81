"""What lies in the tables, read past the product: to check what is written, and to put time behind."""

from collections.abc import Sequence
from typing import LiteralString

from django.db import connection

Row = tuple[object, ...]
Parameters = Sequence[bytes | str | int | None]


def read_rows(sql: LiteralString, parameters: Parameters = ()) -> list[Row]:
    """Read rows; bytes come as bytes."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return [tuple(_plain(value) for value in row) for row in cursor.fetchall()]


def read_value(sql: LiteralString, parameters: Parameters = ()) -> object:
    """Read the one value of the one row that there must be."""
    [[value]] = read_rows(sql, parameters)
    return value


def change_rows(sql: LiteralString, parameters: Parameters = ()) -> int:
    """Write past the product, as time or a fault would; tells how many rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return int(cursor.rowcount)


def intent_states(kind: str) -> list[object]:
    """Give the states of all intents of a kind, in alphabetical order."""
    rows = read_rows("SELECT state FROM outbox.intent WHERE kind = %s ORDER BY state", [kind])
    return [state for (state,) in rows]


def expire_leases() -> None:
    """Let every lease pass, as if its minute were over."""
    change_rows(
        """
        UPDATE outbox.lane SET lease_until = now() - interval '1 second', due_at = now()
        WHERE lease_id IS NOT NULL
        """
    )


def let_pass(seconds: int) -> None:
    """Let time pass for all that waits in the outbox; leases and windows of other planes stay."""
    change_rows(
        """
        UPDATE outbox.lane SET due_at = due_at - make_interval(secs => %s),
            parked_until = parked_until - make_interval(secs => %s),
            talk_paced_until = talk_paced_until - make_interval(secs => %s),
            post_paced_until = post_paced_until - make_interval(secs => %s)
        """,
        [seconds] * 4,
    )
    change_rows("UPDATE outbox.intent SET not_before = not_before - make_interval(secs => %s)", [seconds])
    change_rows(
        "UPDATE outbox.send_pace SET parked_until = parked_until - make_interval(secs => %s)", [seconds]
    )


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value
