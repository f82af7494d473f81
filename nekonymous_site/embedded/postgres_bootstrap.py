"""What only the superuser may make in the embedded Postgres: roles, the database, the vector extension."""

import subprocess
from pathlib import Path

from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.postgres_server import SERVER_ENVIRON, SUPERUSER

PLANES = ("accounts", "tickets", "safety", "suggestions", "outbox", "stats")
SEARCH_PATH = ", ".join(("public", *PLANES, "extensions"))
TEST_TEMPLATE = "neko_template"
BOOTSTRAP_SECONDS = 60

# template1 first, so that every database made later carries the extension too.
_EXTENSION = """
CREATE SCHEMA IF NOT EXISTS extensions;
GRANT USAGE ON SCHEMA extensions TO PUBLIC;
CREATE EXTENSION IF NOT EXISTS vector SCHEMA extensions;
ALTER EXTENSION vector UPDATE;
"""


def bootstrap(*, psql: Path, run: Path, for_tests: bool) -> None:
    """Make what is missing; safe to repeat. `for_tests` lets the application's role make databases."""
    databases = ("neko", TEST_TEMPLATE) if for_tests else ("neko",)
    statements = "\n".join(
        (
            "SET client_min_messages = warning;",
            *(_role(f"neko_{plane}_reader", rights="NOLOGIN") for plane in PLANES),
            _role("neko", rights="LOGIN NOSUPERUSER NOCREATEROLE"),
            f"ALTER ROLE neko {'CREATEDB' if for_tests else 'NOCREATEDB'};",
            "\\connect template1",
            "SET client_min_messages = warning;",
            _EXTENSION,
            *(_database(name) for name in databases),
        )
    )
    result = subprocess.run(
        [str(psql), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(run), "-U", SUPERUSER, "-d", "postgres"],
        input=statements,
        env=SERVER_ENVIRON,
        capture_output=True,
        text=True,
        timeout=BOOTSTRAP_SECONDS,
        check=False,
    )
    if result.returncode != 0:
        raise LauncherFailure("the database could not be set up", details=result.stderr.splitlines()[-8:])


def _role(name: str, *, rights: str) -> str:
    return f"SELECT 'CREATE ROLE {name} {rights}' WHERE to_regrole('{name}') IS NULL \\gexec"


def _database(name: str) -> str:
    return f"""
SELECT 'CREATE DATABASE {name} OWNER neko'
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '{name}') \\gexec
ALTER DATABASE {name} SET search_path = {SEARCH_PATH};
\\connect {name}
SET client_min_messages = warning;
{_EXTENSION}
"""  # noqa: S608 - the names are literals of this module
