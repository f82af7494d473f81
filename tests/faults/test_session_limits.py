"""A process that stands still in the middle of a pipeline holds its locks for a bounded time."""

import time
from contextlib import nullcontext

import psycopg
import pytest
from django.conf import settings as django_settings
from django.db import OperationalError, connection
from pytest_django.fixtures import Settings
from stored_rows import read_rows

from nekonymous_site.pipeline import durable_transaction

LOCK = 4_711_4711


def _takes_lock(dsn: str) -> bool:
    with psycopg.connect(dsn, autocommit=True) as other:
        row = other.execute("SELECT pg_try_advisory_lock(%s)", [LOCK]).fetchone()
    return bool(row and row[0])


@pytest.mark.django_db
def test_every_connection_carries_the_limits() -> None:
    for name, milliseconds in {
        "statement_timeout": django_settings.STATEMENT_TIMEOUT_MS,
        "lock_timeout": django_settings.LOCK_TIMEOUT_MS,
        "idle_in_transaction_session_timeout": django_settings.IDLE_IN_TRANSACTION_TIMEOUT_MS,
        "transaction_timeout": django_settings.TRANSACTION_TIMEOUT_MS,
    }.items():
        told = read_rows("SELECT setting::int FROM pg_settings WHERE name = %s", [name])
        assert told == [(milliseconds,)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("limit_milliseconds", [300, 0])
def test_who_stands_still_in_a_pipeline_lets_go(settings: Settings, limit_milliseconds: int) -> None:
    """The control is without the limit: there the server takes the silence for work and waits."""
    settings.TRANSACTION_TIMEOUT_MS = limit_milliseconds
    connection.close()
    dsn = connection.get_connection_params()
    address = psycopg.conninfo.make_conninfo(
        **{name: dsn[name] for name in ("dbname", "user", "password", "host", "port") if dsn.get(name)}
    )
    holds = pytest.raises(OperationalError) if limit_milliseconds else nullcontext()
    with holds, durable_transaction() as pipeline:
        pipeline.queue("SET LOCAL idle_in_transaction_session_timeout = 300", read=list)
        assert (
            pipeline.queue("SELECT pg_advisory_xact_lock(%s), 1", [LOCK], read=lambda rows: rows[0][1]).value
            == 1
        )
        time.sleep(1)
        assert _takes_lock(address) is bool(limit_milliseconds)
        pipeline.queue("SELECT 1", read=list)
    connection.close()
