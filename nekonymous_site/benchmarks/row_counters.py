"""How many rows of each table are written: by Postgres' own counters, and by what lies there afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db import connection
from psycopg import sql

from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.plane_tables import find_plane_tables


@dataclass(frozen=True, slots=True)
class RowChanges:
    """Rows inserted, updated and deleted, by table; tables without any are left out."""

    of_tables: frozenset[tuple[str, int, int, int]]

    def times(self, factor: int) -> "RowChanges":
        return RowChanges(
            frozenset(
                (table, inserted * factor, updated * factor, deleted * factor)
                for table, inserted, updated, deleted in self.of_tables
            )
        )

    def since(self, before: "RowChanges") -> "RowChanges":
        earlier = {table: changes for table, *changes in before.of_tables}
        differences = (
            (table, *(now - then for now, then in zip(changes, earlier.get(table, [0, 0, 0]), strict=True)))
            for table, *changes in self.of_tables
        )
        return RowChanges(frozenset(row for row in differences if any(row[1:])))  # type: ignore[misc]

    @property
    def more_rows(self) -> Mapping[str, int]:
        """How many rows more there are, by table."""
        return {table: inserted - deleted for table, inserted, _updated, deleted in self.of_tables}

    def __str__(self) -> str:
        return ", ".join(
            f"{table} +{inserted} ~{updated} -{deleted}"
            for table, inserted, updated, deleted in sorted(self.of_tables)
        )


def read_row_counters() -> RowChanges:
    """Read the counters, with everything that this connection has committed.

    What others have done counts once they have ended, or have been idle for ten seconds.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            """
            SELECT schemaname || '.' || relname, n_tup_ins, n_tup_upd, n_tup_del
            FROM pg_stat_user_tables WHERE schemaname = ANY(%s)
            """,
            [list(settings.PLANES)],
        )
        return RowChanges(frozenset(cursor.fetchall()))


def count_rows() -> Mapping[str, int]:
    """Count the rows of every table."""
    counts = {}
    with connection.cursor() as cursor:
        for table in find_plane_tables():
            cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(table.place))
            [(counts[f"{table.plane}.{table.name}"],)] = cursor.fetchall()
    return counts


def check_added(before: Mapping[str, int], changes: RowChanges) -> None:
    """Raise BenchmarkFailed unless these changes and no others came since the rows were counted."""
    after = count_rows()
    expected = {table: count + changes.more_rows.get(table, 0) for table, count in before.items()}
    wrong = [
        f"{table}: {after[table]} rows instead of {expected[table]}"
        for table in after
        if after[table] != expected[table]
    ]
    if wrong:
        raise BenchmarkFailed(f"other rows were written than by so many accepts: {', '.join(wrong)}")
