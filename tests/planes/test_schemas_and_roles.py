"""Each plane has its schema and a role that reads it and nothing else; `public` stays empty."""

import secrets
from collections.abc import Iterator
from typing import LiteralString

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql
from stored_rows import read_rows

from accounts.records import CONTACT_SALT
from nekonymous_site.crypto.identifiers import AccountId, Envelope
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.settings import PLANES

Superuser = psycopg.Connection[tuple[object, ...]]


def _connect_as_superuser(*, database: str, autocommit: bool) -> Superuser:
    """Be the owner of the embedded server, who is let in over the same socket."""
    place = connection.settings_dict
    return psycopg.connect(
        host=place["HOST"], port=place["PORT"], user="postgres", dbname=database, autocommit=autocommit
    )


@pytest.fixture
def superuser(db: None) -> Iterator[Superuser]:
    """The owner of the server in the database of the tests, with nothing to commit."""
    with _connect_as_superuser(database=connection.settings_dict["NAME"], autocommit=False) as owner:
        yield owner
        owner.rollback()


@pytest.fixture
def fresh_database(db: None) -> Iterator[BaseDatabaseWrapper]:
    """An empty database beside that of the tests, as a new installation finds it.

    It has an alias of its own, by which Django looks up what has been migrated.
    """
    name = sql.Identifier(f"test_fresh_{secrets.token_hex(4)}")
    fresh = connection.copy(alias="fresh")
    fresh.settings_dict["NAME"] = name.as_string().strip('"')
    connections["fresh"] = fresh
    # By the superuser: dropping waits for nobody, and may end an autovacuum that is at work in there.
    with _connect_as_superuser(database="postgres", autocommit=True) as owner:
        owner.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(
                name, sql.Identifier(connection.settings_dict["USER"])
            )
        )
        try:
            yield fresh
        finally:
            fresh.close()
            del connections["fresh"]
            owner.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def _relations_in_public(database: BaseDatabaseWrapper) -> set[str]:
    with database.cursor() as cursor:
        cursor.execute(
            """
            SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
            UNION ALL SELECT typname FROM pg_type
            WHERE typnamespace = 'public'::regnamespace AND typrelid = 0 AND typelem = 0
            UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
            """
        )
        return {name for (name,) in cursor.fetchall()}


OWN_OF_DJANGO = {"django_migrations", "django_migrations_pkey", "django_migrations_id_seq"}


def test_every_single_migration_leaves_public_empty(fresh_database: BaseDatabaseWrapper) -> None:
    executor = MigrationExecutor(fresh_database)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    assert {migration.app_label for migration, _ in plan} == set(PLANES)
    for migration, _ in plan:
        executor.migrate([(migration.app_label, migration.name)])
        assert _relations_in_public(fresh_database) <= OWN_OF_DJANGO, migration
        executor.loader.build_graph()


def test_the_first_migrations_can_be_taken_back_and_made_again(fresh_database: BaseDatabaseWrapper) -> None:
    executor = MigrationExecutor(fresh_database)
    leaves = executor.loader.graph.leaf_nodes()
    for _ in range(2):
        executor.migrate(leaves)
        executor.loader.build_graph()
        executor.migrate([(plane, None) for plane in PLANES])
        assert _relations_in_public(fresh_database) <= OWN_OF_DJANGO
        executor.loader.build_graph()


def test_people_who_are_there_already_get_a_salt_and_a_time_zone(
    fresh_database: BaseDatabaseWrapper,
) -> None:
    MigrationExecutor(fresh_database).migrate([("accounts", "0001_initial")])
    people = [(AccountId(bytes([number]) * 16), language) for number, language in enumerate(["fa", "en"], 1)]
    with fresh_database.cursor() as cursor:
        for account_id, language in people:
            cursor.execute(
                """
                INSERT INTO accounts.account (account_id, actor_hash, chat_route, language, created_on)
                VALUES (%s, %s, '', %s, current_date)
                """,
                [account_id, account_id * 2, language],
            )
    MigrationExecutor(fresh_database).migrate([("accounts", "0002_contacts_and_compositions")])
    with fresh_database.cursor() as cursor:
        cursor.execute("SELECT account_id, contact_salt, time_zone FROM accounts.account ORDER BY account_id")
        rows = [(bytes(account_id), bytes(salt), zone) for account_id, salt, zone in cursor.fetchall()]
    assert [zone for _, _, zone in rows] == ["Asia/Tehran", "UTC"]
    salts = {open_record(CONTACT_SALT, record_id=owner, envelope=Envelope(salt)) for owner, salt, _ in rows}
    assert [len(salt) for salt in salts] == [16, 16], "each has one of their own"


@pytest.mark.django_db
def test_the_models_say_what_the_migrations_make() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


@pytest.mark.django_db
def test_the_database_of_the_tests_has_an_empty_public() -> None:
    rows = read_rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    assert rows == [("django_migrations",)]


@pytest.mark.django_db
def test_no_plane_points_into_another() -> None:
    """Not even inside a plane is there a foreign key: its check would leave a mark on somebody's row."""
    assert read_rows("SELECT conname FROM pg_constraint WHERE contype = 'f'") == []


def _tables(superuser: Superuser) -> list[tuple[str, str]]:
    rows = superuser.execute(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = ANY(%s)", [["public", *PLANES]]
    ).fetchall()
    return [(str(schema), str(table)) for schema, table in rows]


def _is_allowed(superuser: Superuser, statement: sql.Composed) -> bool:
    superuser.execute("SAVEPOINT attempt")
    try:
        superuser.execute(statement)
    except psycopg.errors.InsufficientPrivilege:
        return False
    finally:
        superuser.execute("ROLLBACK TO SAVEPOINT attempt")
    return True


def _act_as(superuser: Superuser, plane: str) -> None:
    superuser.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(f"neko_{plane}_reader")))


@pytest.mark.parametrize("plane", PLANES)
def test_a_reader_sees_its_own_plane_and_nothing_else(superuser: Superuser, plane: str) -> None:
    tables = _tables(superuser)
    assert ("outbox", "intent") in tables
    _act_as(superuser, plane)
    readable = {
        (schema, table)
        for schema, table in tables
        if _is_allowed(superuser, sql.SQL("SELECT * FROM {} LIMIT 1").format(sql.Identifier(schema, table)))
    }
    assert readable == {(schema, table) for schema, table in tables if schema == plane}


WRITES: tuple[LiteralString, ...] = (
    "INSERT INTO {} DEFAULT VALUES",
    "DELETE FROM {}",
    "TRUNCATE {}",
    "LOCK TABLE {} IN ACCESS EXCLUSIVE MODE",
    "DROP TABLE {}",
    "ALTER TABLE {} ADD COLUMN more int",
    "CREATE INDEX ON {} ((1))",
)


@pytest.mark.parametrize("plane", PLANES)
def test_a_reader_can_write_nowhere(superuser: Superuser, plane: str) -> None:
    tables = _tables(superuser)
    _act_as(superuser, plane)
    for schema, table in tables:
        for write in WRITES:
            statement = sql.SQL(write).format(sql.Identifier(schema, table))
            assert not _is_allowed(superuser, statement), (plane, write, schema, table)
    for schema in ("public", "extensions", *PLANES):
        statement = sql.SQL("CREATE TABLE {} (x int)").format(sql.Identifier(schema, "made_by_reader"))
        assert not _is_allowed(superuser, statement), (plane, schema)


@pytest.mark.parametrize("plane", PLANES)
def test_a_reader_cannot_log_in_and_is_nobody_else(superuser: Superuser, plane: str) -> None:
    role = superuser.execute(
        """
        SELECT rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
            (SELECT count(*) FROM pg_auth_members WHERE member = pg_roles.oid)
        FROM pg_roles WHERE rolname = %s
        """,
        [f"neko_{plane}_reader"],
    ).fetchone()
    assert role == (False, False, False, False, False, False, 0)
