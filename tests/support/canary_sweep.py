"""Search everything that is stored or written for values that must not be there in the clear."""

import base64
from collections.abc import Iterable
from typing import Final

import psycopg
from psycopg import sql

PLANES: Final = ("accounts", "tickets", "safety", "suggestions", "outbox", "stats", "public")


def forms_of(canary: str) -> set[str]:
    """The forms in which a value could be recognised: itself, escaped, and as hexadecimal or base64 bytes."""
    raw = canary.encode()
    return {
        canary.lower(),
        canary.encode("unicode_escape").decode().lower(),
        raw.hex(),
        base64.b64encode(raw).decode().rstrip("=").lower(),
        base64.urlsafe_b64encode(raw).decode().rstrip("=").lower(),
    }


def find_canaries(text: str, *, canaries: Iterable[str]) -> list[str]:
    """Name the canaries that a text holds in any form."""
    lowered = text.lower()
    return [canary for canary in canaries if any(form in lowered for form in forms_of(canary))]


def dump_tables(database_url: str) -> dict[str, str]:
    """Read every row of every table as text; bytes come as hexadecimal."""
    with psycopg.connect(database_url) as connection:
        names = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = ANY(%s)", [list(PLANES)]
        ).fetchall()
        return {f"{schema}.{table}": _dump_table(connection, schema, table) for schema, table in names}


def _dump_table(connection: psycopg.Connection, schema: str, table: str) -> str:
    rows = connection.execute(sql.SQL("SELECT t::text FROM {} AS t").format(sql.Identifier(schema, table)))
    return "\n".join(row[0] for row in rows)
