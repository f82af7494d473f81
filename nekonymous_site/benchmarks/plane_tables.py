"""The planes' tables as the database describes them, and a copy of their rows at one moment."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import connection
from psycopg import sql

_KEPT: Final = "floor_kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneTable:
    """A table, the types of its columns, and what may stand in it only once."""

    plane: str
    name: str
    columns: Mapping[str, str]
    unique_keys: tuple[tuple[str, ...], ...]

    @property
    def place(self) -> sql.Identifier:
        return sql.Identifier(self.plane, self.name)

    @property
    def kept(self) -> sql.Identifier:
        """Where its kept rows lie."""
        return sql.Identifier(_KEPT, f"{self.plane}.{self.name}")


def keep_rows() -> None:
    """Keep a copy of every row as it is now, small as the database is yet. Once for a database."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(_KEPT)))
        for table in find_plane_tables():
            cursor.execute(sql.SQL("CREATE TABLE {} AS TABLE {}").format(table.kept, table.place))


def find_plane_tables() -> list[PlaneTable]:
    """Describe every table of the planes."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT space.nspname, class.relname, columns.types::text, coalesce(keys.names, '[]')::text
            FROM pg_class AS class JOIN pg_namespace AS space ON space.oid = class.relnamespace
            CROSS JOIN LATERAL (
                SELECT jsonb_object_agg(attname, format_type(atttypid, NULL)) AS types
                FROM pg_attribute
                WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
            ) AS columns
            CROSS JOIN LATERAL (
                SELECT jsonb_agg((
                    SELECT coalesce(jsonb_agg(attname), '[]') FROM pg_attribute
                    WHERE attrelid = class.oid AND attnum = ANY(indkey)
                )) AS names
                FROM pg_index WHERE indrelid = class.oid AND indisunique
            ) AS keys
            WHERE class.relkind = 'r' AND space.nspname = ANY(%s)
            ORDER BY space.nspname, class.relname
            """,
            [list(settings.PLANES)],
        )
        rows = cursor.fetchall()
    return [
        PlaneTable(
            plane=plane,
            name=name,
            columns=json.loads(types),
            unique_keys=tuple(tuple(key) for key in json.loads(keys)),
        )
        for plane, name, types, keys in rows
    ]
