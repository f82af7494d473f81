"""Whether the server really writes what it confirms, and how much that is."""

from collections.abc import Mapping
from typing import Final

from django.db import connection

from nekonymous_site.benchmarks.failures import BenchmarkFailed

_NEEDED: Final = ("fsync", "synchronous_commit", "full_page_writes")


def read_durability() -> Mapping[str, str]:
    """Read the server's settings, as the product's connections have them.

    Raises BenchmarkFailed unless a commit is on disk before it is confirmed.
    """
    values = {}
    with connection.cursor() as cursor:
        for name in _NEEDED:
            cursor.execute("SELECT current_setting(%s)", [name])
            [(values[name],)] = cursor.fetchall()
    wrong = [f"{name} is {value}" for name, value in values.items() if value != "on"]
    if wrong:
        raise BenchmarkFailed(f"commits are not durable here: {', '.join(wrong)}")
    return values


def read_wal_position() -> int:
    """How many bytes of write-ahead log there have ever been."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")
        [(position,)] = cursor.fetchall()
    return int(position)
