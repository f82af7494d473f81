"""Everything that a database keeps and shows: rows, definitions, the planner's copies, what is asked."""

from collections.abc import Iterable, Iterator
from typing import Final

import psycopg
from psycopg import sql

from nekonymous_site.canaries.ledger import Sample

TABLES: Final = "tables"
DEFINITIONS: Final = "definitions"
STATISTICS: Final = "planner statistics"
QUERIES: Final = "running queries"
ROWS_AT_ONCE: Final = 500
STATEMENT_SECONDS: Final = 60

_FOREIGN_SCHEMAS: Final = "NOT IN ('pg_catalog', 'information_schema')"
# Place and text of everything that somebody could have written a value into besides a row.
_DEFINITIONS: Final = f"""
    SELECT 'default of ' || adrelid::regclass || '.' || attname, pg_get_expr(adbin, adrelid)
    FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
    UNION ALL SELECT 'constraint ' || conname, pg_get_constraintdef(c.oid) FROM pg_constraint c
        JOIN pg_namespace n ON n.oid = connamespace WHERE nspname {_FOREIGN_SCHEMAS}
    UNION ALL SELECT 'index ' || indexname, indexdef FROM pg_indexes WHERE schemaname {_FOREIGN_SCHEMAS}
    UNION ALL SELECT 'view ' || viewname, definition FROM pg_views WHERE schemaname {_FOREIGN_SCHEMAS}
    UNION ALL SELECT 'function ' || proname, prosrc FROM pg_proc
        JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname {_FOREIGN_SCHEMAS}
    UNION ALL SELECT 'trigger ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT 'comment', description FROM pg_description WHERE objoid >= 16384
    UNION ALL SELECT 'comment', description FROM pg_shdescription WHERE objoid >= 16384
    UNION ALL SELECT 'database and role settings', setconfig::text FROM pg_db_role_setting
"""  # noqa: S608 - one fixed text
_STATISTICS: Final = f"""
    SELECT schemaname || '.' || tablename || '.' || attname,
        concat_ws(' ', most_common_vals::text, histogram_bounds::text, most_common_elems::text)
    FROM pg_stats WHERE schemaname {_FOREIGN_SCHEMAS}
"""  # noqa: S608 - one fixed text
# What each connection has sent last, with the values that its driver has written into the text.
_QUERIES: Final = """
    SELECT coalesce(nullif(application_name, ''), backend_type), query FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def read_database(database_url: str) -> Iterator[Sample]:
    """Read all of it in one snapshot, some rows at a time; bytes come as hexadecimal. Changes nothing."""
    with psycopg.connect(database_url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        connection.execute(f"SET LOCAL statement_timeout = '{STATEMENT_SECONDS}s'")
        names = connection.execute(
            f"SELECT schemaname, tablename FROM pg_tables WHERE schemaname {_FOREIGN_SCHEMAS} ORDER BY 1, 2"  # noqa: S608 - one fixed text
        ).fetchall()
        for schema, table in names:
            yield from _read_rows(connection, schema=schema, table=table)
        yield from _grouped(DEFINITIONS, connection.execute(_DEFINITIONS))
        yield from _grouped(STATISTICS, connection.execute(_STATISTICS))
        yield from _grouped(QUERIES, connection.execute(_QUERIES))


def copy_into_statistics(database_url: str) -> None:
    """Let the planner look at all rows now, as autovacuum does sooner or later."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("ANALYZE")


def _read_rows(connection: psycopg.Connection, *, schema: str, table: str) -> Iterator[Sample]:
    place = f"{schema}.{table}"
    yield Sample(group=TABLES, place=place, content=b"")  # searched, if there is no row
    with connection.cursor("canaries") as cursor:
        cursor.execute(sql.SQL("SELECT t::text FROM {} AS t").format(sql.Identifier(schema, table)))
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            text = "\n".join(row[0] for row in rows)
            yield Sample(group=TABLES, place=place, content=text.encode())


def _grouped(group: str, rows: Iterable[tuple[str, str | None]]) -> Iterator[Sample]:
    for place, text in rows:
        yield Sample(group=group, place=place, content=(text or "").encode())
