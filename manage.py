#!/usr/bin/env python
"""The management commands, run as `./neko <command>`; failures to start are said in one line each."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError

from nekonymous_site.environment import ConfigurationInvalid

NOTHING_RUNS = (
    "nothing is running here: start with ./neko up (or name a database that answers in DATABASE_URL)"
)


def main() -> None:
    """Run the command named by the arguments; exits 1 with lines on standard error when it cannot."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "nekonymous_site.settings")
    try:
        execute_from_command_line(sys.argv)
    except ConfigurationInvalid as invalid:
        sys.exit("\n".join(invalid.problems))
    except OperationalError as error:
        sys.exit(_database_trouble(error))
    except ImproperlyConfigured:
        if os.environ.get("DATABASE_URL") or os.environ.get("DATABASE_URL_FILE"):
            raise
        sys.exit(NOTHING_RUNS)


def _database_trouble(error: OperationalError) -> str:
    """Name the trouble without libpq's text, which names hosts and users; no SQLSTATE means no connection."""
    sqlstate = getattr(error.__cause__, "sqlstate", None)
    return f"the database stopped the command (SQLSTATE {sqlstate})" if sqlstate else NOTHING_RUNS


if __name__ == "__main__":
    main()
