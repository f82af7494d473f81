"""What every plane's migrations share: its schema, its tables' place in it, its read-only role."""

from collections.abc import Sequence

from django.db import migrations


def place_tables_in_plane(plane: str, *, tables: Sequence[str]) -> migrations.RunSQL:
    """Move freshly created tables from `public` into the plane's schema and let its reader see them.

    Ends every migration that creates tables; the first one creates the schema with it. Role and grants are
    skipped with a notice where the migrating role may not create roles (`nekonymous_site.system_checks`
    then warns), since a managed Postgres often leaves that to its owner.
    """
    moves = "".join(f"ALTER TABLE public.{table} SET SCHEMA {plane};" for table in tables)
    back = "".join(f"ALTER TABLE {plane}.{table} SET SCHEMA public;" for table in tables)
    return migrations.RunSQL(
        sql=f"CREATE SCHEMA IF NOT EXISTS {plane};{moves}{_grant_reader(plane)}",
        reverse_sql=back or migrations.RunSQL.noop,
    )


def _grant_reader(plane: str) -> str:
    role = f"neko_{plane}_reader"
    return f"""
    DO $$
    BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN
            BEGIN
                CREATE ROLE {role} NOLOGIN;
            EXCEPTION
                WHEN insufficient_privilege THEN
                    RAISE NOTICE 'role {role} is missing and may not be created here';
                WHEN duplicate_object OR unique_violation THEN
                    NULL;  -- another database of this server made it at the same moment
            END;
        END IF;
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN
            GRANT USAGE ON SCHEMA {plane} TO {role};
            GRANT SELECT ON ALL TABLES IN SCHEMA {plane} TO {role};
        END IF;
    END $$;
    """  # noqa: S608 - the plane's name is a literal of our own migrations
