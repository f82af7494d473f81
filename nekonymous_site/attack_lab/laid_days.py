"""Days laid over an export. The database's clock cannot be turned, so a run takes place on one day.

At the end of each made-up day the laboratory notes which rows there are; in the view of the thief a row's
days (never its hours or times) are moved on by the day on which it was first there.
"""

from collections.abc import Hashable, Iterable
from datetime import date, datetime, timedelta
from typing import Any

from django.db import connection

from nekonymous_site.attack_lab.thiefs_view import Dump, Row


class LaidDays:
    """Remembers on which made-up day a row was first there."""

    def __init__(self) -> None:
        self._first_day: dict[Hashable, int] = {}
        self._keys = _read_keys()
        self.today = 0

    def end_day(self, dump: Dump) -> None:
        """Note the rows of the day that ends."""
        self._note(dump)
        self.today += 1

    def lay_over(self, dump: Dump) -> Dump:
        """Give the export as it would be if the made-up days had been real ones."""
        self._note(dump)
        return Dump(
            tables={table: [self._moved(table, row) for row in rows] for table, rows in dump.tables.items()},
            redis=dump.redis,
        )

    def _note(self, dump: Dump) -> None:
        for table, rows in dump.tables.items():
            for row in rows:
                self._first_day.setdefault(self._key(table, row), self.today)

    def _moved(self, table: str, row: Row) -> Row:
        days = timedelta(days=self._first_day[self._key(table, row)])
        return {column: _move(value, days) for column, value in row.items()}

    def _key(self, table: str, row: Row) -> Hashable:
        return table, *(row[column] for column in self._keys.get(table, ()))


def _move(value: Any, days: timedelta) -> Any:  # noqa: ANN401 - whatever a column holds
    return value + days if isinstance(value, date) and not isinstance(value, datetime) else value


def _read_keys() -> dict[str, list[str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT nspname || '.' || relname, attname FROM pg_index
            JOIN pg_class ON pg_class.oid = indrelid
            JOIN pg_namespace ON pg_namespace.oid = relnamespace
            JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey)
            WHERE indisprimary
            """
        )
        rows: Iterable[tuple[str, str]] = cursor.fetchall()
    keys: dict[str, list[str]] = {}
    for table, column in rows:
        keys.setdefault(table, []).append(column)
    return keys
