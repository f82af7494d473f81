"""docs/storage_planes.md and the live catalogue say the same about every column of every plane."""

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Final

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from markdown_tables import Row, code_words, tables_by_heading

from nekonymous_site.environment import CHECKOUT
from nekonymous_site.settings import PLANES

PAGE: Final = CHECKOUT / "docs" / "storage_planes.md"
TABLES: Final = tables_by_heading(PAGE)
COLUMN: Final = re.compile(r"`([a-z_]+)\.([a-z_]+)`")
NOBODY: Final = "nobody yet"
TIME_FORMS: Final = {"hour", "day", "live time"}


def listed_columns() -> dict[str, Row]:
    """What the page says about each column, by `plane.table.column`."""
    listed = {}
    for plane in PLANES:
        for row in TABLES[plane]:
            match = COLUMN.fullmatch(row["column"])
            assert match, row["column"]
            listed[f"{plane}.{match[1]}.{match[2]}"] = row
    assert len(listed) == sum(len(TABLES[plane]) for plane in PLANES), "a column is listed twice"
    return listed


def forms() -> dict[str, list[str]]:
    """The column types that each form may have."""
    return {row["form"]: code_words(row["types"]) for row in TABLES["Forms"]}


def live_columns() -> dict[str, str]:
    """The type of each column that the database has, by `plane.table.column`."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT table_schema || '.' || table_name || '.' || column_name, data_type
            FROM information_schema.columns WHERE table_schema = ANY(%s)
            """,
            [list(PLANES)],
        )
        return dict(cursor.fetchall())


@pytest.mark.django_db
def test_the_page_lists_the_columns_that_exist_and_no_others() -> None:
    listed, live = listed_columns().keys(), live_columns().keys()

    assert live
    assert live - listed == set(), "these columns are not in docs/storage_planes.md"
    assert listed - live == set(), "these columns are gone, but docs/storage_planes.md lists them"


@pytest.mark.django_db
def test_every_column_has_a_type_of_its_form() -> None:
    listed, allowed = listed_columns(), forms()
    misfits = {
        column: (listed[column]["form"], type_)
        for column, type_ in live_columns().items()
        if column in listed and type_ not in allowed[listed[column]["form"]]
    }

    assert misfits == {}


@pytest.mark.django_db
def test_every_time_is_declared_as_a_day_an_hour_or_a_live_one() -> None:
    listed = listed_columns()
    times = {
        column for column, type_ in live_columns().items() if type_ == "date" or type_.startswith("time")
    }

    assert times
    assert {column for column in times if listed[column]["form"] not in TIME_FORMS} == set()


def test_only_times_may_have_the_form_of_a_time() -> None:
    """Nothing else may pass for a day, and no time for anything else: the other forms allow no time type."""
    other_types = {type_ for form, types in forms().items() if form not in TIME_FORMS for type_ in types}

    assert forms().keys() > TIME_FORMS
    assert {type_ for type_ in other_types if type_ == "date" or type_.startswith("time")} == set()


def test_every_column_says_what_it_holds_and_until_when() -> None:
    assert {
        name for name, row in listed_columns().items() if not (row["holds"] and row["kept until"])
    } == set()


def test_every_writer_exists_and_writes_that_column() -> None:
    wrong = [
        f"{column}: {writer}"
        for column, row in listed_columns().items()
        for writer in writers_of(row)
        if not writes(writer, column=column.rpartition(".")[2])
    ]

    assert wrong == []


def writers_of(row: Row) -> Iterator[str]:
    names = code_words(row["written by"])
    assert names or row["written by"] == NOBODY, row
    yield from names


def writes(writer: str, *, column: str) -> bool:
    """Whether there is such a function, in a module that names the column."""
    module_name, _, function = writer.rpartition(".")
    module = import_module(module_name)
    assert module.__file__ is not None
    source = (CHECKOUT / module.__file__).read_text(encoding="utf-8")
    return callable(getattr(module, function, None)) and re.search(rf"\b{column}\b", source) is not None


@pytest.mark.parametrize("plane", PLANES)
def test_a_plane_is_one_app_with_one_initial_migration(plane: str) -> None:
    loader = MigrationLoader(None)
    initial = [
        name for (app, name), found in loader.disk_migrations.items() if app == plane and found.initial
    ]

    assert apps.get_app_config(plane).name == plane
    assert initial == ["0001_initial"]


@pytest.mark.django_db
@pytest.mark.parametrize("plane", PLANES)
def test_a_plane_is_one_schema_that_holds_its_tables(plane: str) -> None:
    tables = {model._meta.db_table for model in apps.get_app_config(plane).get_models()}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nspname, ARRAY(SELECT relname FROM pg_class WHERE relnamespace = pg_namespace.oid"
            " AND relkind IN ('r', 'p')) FROM pg_namespace WHERE nspname = %s",
            [plane],
        )
        assert [(schema, set(names)) for schema, names in cursor.fetchall()] == [(plane, tables)]


@pytest.mark.django_db
def test_nothing_lies_outside_the_planes() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT table_schema || '.' || table_name FROM information_schema.tables
            WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_schema <> ALL(%s)
            """,
            [list(PLANES)],
        )
        assert cursor.fetchall() == [("public.django_migrations",)]


@pytest.mark.django_db
def test_no_foreign_key_ties_rows_together() -> None:
    """Foreign keys would lock a person's row whenever somebody wrote to them, and none may cross planes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype = 'f'")
        assert cursor.fetchall() == []


@pytest.mark.django_db
def test_no_column_counts_globally() -> None:
    """An identity or a sequence would number rows in the order in which people acted."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT table_schema || '.' || table_name || '.' || column_name FROM information_schema.columns
            WHERE table_schema = ANY(%s) AND (is_identity = 'YES' OR column_default LIKE 'nextval%%')
            """,
            [list(PLANES)],
        )
        assert cursor.fetchall() == []
