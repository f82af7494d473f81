"""Time that passes at the lab's word: the database's clock cannot be turned, so what it is compared with is.

Every moment and, where whole days pass, every day that any plane has written down is moved back. The product
cannot tell that from having waited.
"""

from datetime import timedelta
from typing import Final

import psycopg
from psycopg import sql

from nekonymous_site.settings import PLANES

# Whoever is at work keeps the lease however fast time passes for the others.
LEASES: Final = frozenset({"lease_until"})
MOST_TRIES: Final = 20
LOCK_TIMEOUT: Final = "2s"
_COLUMNS: Final = """
    SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
    WHERE table_schema = ANY(%s) AND data_type IN ('timestamp with time zone', 'date')
    ORDER BY table_schema, table_name, column_name
"""


def pass_time(database_url: str, passed: timedelta, *, but: frozenset[str] = frozenset()) -> None:
    """Let time pass for all that is stored but these columns. Rows that somebody is at are waited for."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("SELECT set_config('lock_timeout', %s, false)", [LOCK_TIMEOUT])
        for (schema, table), columns in _read_columns(connection, with_days=passed.days > 0, but=but).items():
            _move(connection, schema, table=table, columns=columns, passed=passed)


def _read_columns(
    connection: psycopg.Connection[tuple[str, ...]], *, with_days: bool, but: frozenset[str]
) -> dict[tuple[str, str], list[tuple[str, str]]]:
    tables: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for schema, table, column, kind in connection.execute(_COLUMNS, [list(PLANES)]):
        if column not in but and (with_days or kind != "date"):
            tables.setdefault((schema, table), []).append((column, kind))
    return tables


def _move(
    connection: psycopg.Connection[tuple[str, ...]],
    schema: str,
    *,
    table: str,
    columns: list[tuple[str, str]],
    passed: timedelta,
) -> None:
    moves = sql.SQL(", ").join(
        sql.SQL("{0} = {0} - {1}").format(
            sql.Identifier(column), sql.Literal(passed.days if kind == "date" else passed)
        )
        for column, kind in columns
    )
    holds = sql.SQL(" OR ").join(
        sql.SQL("{} IS NOT NULL").format(sql.Identifier(name)) for name, _ in columns
    )
    statement = sql.SQL("UPDATE {} SET {} WHERE {}").format(sql.Identifier(schema, table), moves, holds)
    for attempt in range(MOST_TRIES):
        try:
            connection.execute(statement)
        except (psycopg.errors.DeadlockDetected, psycopg.errors.LockNotAvailable):
            if attempt == MOST_TRIES - 1:
                raise
        else:
            return
