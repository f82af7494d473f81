"""The rows that the floor's reads and updates meet: copies of those that the recorded accepts have met."""

from collections.abc import Iterable, Mapping
from typing import Final

from django.db import connection
from psycopg import sql

from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.floor_values import FloorValue, Owner
from nekonymous_site.benchmarks.plane_tables import PlaneTable, find_plane_tables

_KEY_TYPES: Final = ("bytea", "text", "character varying")


def make_people(values: Iterable[FloorValue], *, counts: Mapping[Owner, int]) -> None:
    """Copy the kept rows of sender and recipient for each number, each with values of its own.

    May be repeated: what is there stays. Raises BenchmarkFailed when nothing was found to copy.
    """
    by_raw = {value.raw: value for value in values if value.owner in counts}
    copied = 0
    for table in find_plane_tables():
        for owner, count in counts.items():
            of_owner = {raw: value for raw, value in by_raw.items() if value.owner is owner}
            copied += _copy_rows(table, of_owner, count=count)
    if not copied:
        raise BenchmarkFailed("the accept reads nothing that was there before")


def _copy_rows(table: PlaneTable, values: Mapping[bytes, FloorValue], *, count: int) -> int:
    """Copy the rows in which one of the values stands; tells in how many columns they do."""
    found = {name: _values_in(table, name, values) for name in table.columns}
    replaced = {name: some for name, some in found.items() if some}
    if not replaced:
        return 0
    alone = _keys_left_alone(table, replaced)
    statement = sql.SQL(
        "INSERT INTO {} ({}) SELECT {} FROM {} AS kept, generate_series(0, %s) AS number WHERE {} "
        "ON CONFLICT DO NOTHING"
    ).format(
        sql.Identifier(table.plane, table.name),
        sql.SQL(", ").join(map(sql.Identifier, table.columns)),
        sql.SQL(", ").join(
            _replacement(name, kind=kind, values=replaced.get(name, ()), is_alone=name in alone)
            for name, kind in table.columns.items()
        ),
        table.kept,
        sql.SQL(" OR ").join(_is(name, value) for name, some in replaced.items() for value in some),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [count - 1])
    return len(replaced)


def _values_in(table: PlaneTable, name: str, values: Mapping[bytes, FloorValue]) -> list[FloorValue]:
    kind = table.columns[name]
    if kind not in _KEY_TYPES:
        return []
    wanted = [raw if kind == "bytea" else raw.decode(errors="replace").replace("\0", "") for raw in values]
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("SELECT DISTINCT {column} FROM {} WHERE {column} = ANY(%s)").format(
                table.kept, column=sql.Identifier(name)
            ),
            [wanted],
        )
        found = [value for (value,) in cursor.fetchall()]
    return [values[bytes(value) if kind == "bytea" else value.encode()] for value in found]


def _keys_left_alone(table: PlaneTable, replaced: Mapping[str, object]) -> set[str]:
    """Columns whose copies would be doubles, since nothing of their key is replaced."""
    alone = [key for key in table.unique_keys if not replaced.keys() & set(key)]
    chosen = {next((name for name in key if table.columns[name] in _KEY_TYPES), None) for key in alone}
    if None in chosen:
        raise BenchmarkFailed(f"rows of {table.name} cannot be copied: a key has no column for it")
    return {name for name in chosen if name}


def _replacement(name: str, *, kind: str, values: Iterable[FloorValue], is_alone: bool) -> sql.Composable:
    column = sql.Identifier("kept", name)
    if is_alone and kind == "bytea":
        return sql.SQL("substr(sha256({column} || int8send(number)), 1, length({column}))").format(
            column=column
        )
    if is_alone:
        return sql.SQL(
            "substr(encode(sha256(convert_to({column}, 'UTF8') || int8send(number)), 'hex'), 1, "
            "length({column}))"
        ).format(column=column)
    cases = [
        sql.SQL("WHEN {} THEN {}").format(_is(name, value), sql.SQL(value.expression("number")))
        for value in values
    ]
    return sql.SQL("CASE {} ELSE {} END").format(sql.SQL(" ").join(cases), column) if cases else column


def _is(name: str, value: FloorValue) -> sql.Composable:
    return sql.SQL("{} = {}").format(sql.Identifier("kept", name), sql.Literal(value.constant()))
