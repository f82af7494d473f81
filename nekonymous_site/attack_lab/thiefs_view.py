"""What a thief without keys holds: every row of every table in the order of a dump, and all of Redis."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NewType

import redis
from django.conf import settings
from django.db import connection
from psycopg import sql

Row = Mapping[str, Any]
TicketKey = NewType("TicketKey", bytes)
AccountKey = NewType("AccountKey", bytes)

SYSTEM_COLUMNS: Final = ("ctid", "xmin", "xmax")
PLANES: Final = ("accounts", "tickets", "safety", "suggestions", "outbox", "stats")
_MOST_REDIS_KEYS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump:
    """One export: rows by table, as a plain dump lists them; keys of Redis with value and lifetime."""

    tables: Mapping[str, Sequence[Row]]
    redis: Mapping[bytes, tuple[Any, int]] = field(default_factory=dict)

    def rows(self, table: str) -> Sequence[Row]:
        return self.tables.get(table, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Two exports of the same database, the second some traffic later."""

    first: Dump
    second: Dump


def read_dump(*, prefix: str = "") -> Dump:
    """Read everything that lies in the planes' schemas (with a prefix those of a control), and all of Redis.

    Nothing orders the rows: they come as they lie in their files, as for pg_dump.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET synchronize_seqscans = off")
        cursor.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = ANY(%s) ORDER BY 1, 2",
            [[prefix + plane for plane in PLANES]],
        )
        names: list[tuple[str, str]] = cursor.fetchall()
    tables = {f"{schema.removeprefix(prefix)}.{table}": _read_table(schema, table) for schema, table in names}
    return Dump(tables=tables, redis=read_redis())


def without_system_columns(dump: Dump) -> Dump:
    """What pg_dump writes: the same rows in the same order, without the columns of the server's own."""
    return Dump(
        tables={
            name: [
                {column: value for column, value in row.items() if column not in SYSTEM_COLUMNS}
                for row in rows
            ]
            for name, rows in dump.tables.items()
        },
        redis=dump.redis,
    )


def read_redis() -> dict[bytes, tuple[Any, int]]:
    """Read every key of the broker's database with its value and its milliseconds to live."""
    client = redis.Redis.from_url(settings.NEKO.redis_url or "")
    try:
        keys = [key for _, key in zip(range(_MOST_REDIS_KEYS), client.scan_iter(), strict=False)]
        return {key: (_read_key(client, key), int(client.pttl(key))) for key in keys}
    finally:
        client.close()


def _read_key(client: redis.Redis, key: bytes) -> Any:  # noqa: ANN401 - whatever lies there
    match client.type(key):
        case b"string":
            return client.get(key)
        case b"list":
            return client.lrange(key, 0, -1)
        case b"hash":
            return client.hgetall(key)
        case b"set":
            return client.smembers(key)
        case b"zset":
            return client.zrange(key, 0, -1, withscores=True)
        case _:
            return None  # it was gone before it could be read


def _read_table(schema: str, table: str) -> list[Row]:
    statement = sql.SQL("SELECT ctid::text, xmin::text, xmax::text, * FROM {}").format(
        sql.Identifier(schema, table)
    )
    with connection.cursor() as cursor:
        cursor.execute(statement)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, map(_plain, row), strict=True)) for row in _with_numbers(cursor.fetchall())]


def _with_numbers(rows: Iterable[Sequence[Any]]) -> Iterable[Sequence[Any]]:
    """Make places and transaction numbers comparable."""
    for ctid, xmin, xmax, *rest in rows:
        block, _, item = ctid.strip("()").partition(",")
        yield ((int(block), int(item)), int(xmin), int(xmax), *rest)


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a column holds
    return bytes(value) if isinstance(value, memoryview) else value
