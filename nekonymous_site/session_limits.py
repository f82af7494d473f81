"""A limit on whole transactions, where the server knows one: set on each new connection.

It cannot stand among the options of the address: a server before version 17 would refuse the connection.
"""

import sys
from typing import Any, Final

from django.conf import settings
from django.db.backends.signals import connection_created

FIRST_VERSION_WITH_LIMIT: Final = 170_000


def limit_new_connections() -> None:
    """Limit every connection made from now on; migrations take the time they need. May be repeated."""
    if sys.argv[1:2] != ["migrate"]:
        connection_created.connect(_limit_transactions, dispatch_uid="transaction_timeout")


def _limit_transactions(connection: Any, **_signal: object) -> None:  # noqa: ANN401 - Django's own kind
    if connection.vendor == "postgresql" and connection.pg_version >= FIRST_VERSION_WITH_LIMIT:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('transaction_timeout', %s, false)", [_limit()])


def _limit() -> str:
    return str(settings.TRANSACTION_TIMEOUT_MS)
