"""Django's settings, derived from the environment alone.

Importing this module needs no environment at all: whatever is missing is named by settings.NEKO.missing and
reported by a system check, so that `makemigrations --check` and `--help` work in a bare checkout.
"""

import hashlib
import os
import secrets
import sys
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from nekonymous_site.environment import ConfigurationInvalid, read_environment
from nekonymous_site.rate_limits import Rates

PLANES: Final = ("accounts", "tickets", "safety", "suggestions", "outbox", "stats")
SEARCH_PATH: Final = ("public", *PLANES, "extensions")

# No request and no worker's step may hold the database longer than this. A migration may: it builds indexes.
STATEMENT_TIMEOUT_MS: Final = 5_000
LOCK_TIMEOUT_MS: Final = 3_000
IDLE_IN_TRANSACTION_TIMEOUT_MS: Final = 15_000
# A pipeline keeps its backend active between statements, so the timeout above does not meet a process that
# stands still in one. Servers from 17 on end such a transaction all the same (session_limits.py).
TRANSACTION_TIMEOUT_MS: Final = 20_000
MIGRATION_STATEMENT_TIMEOUT_MS: Final = 600_000
CONNECT_TIMEOUT_SECONDS: Final = 3
# A server that vanished without closing its connection is noticed within half a minute, not after two hours.
DEAD_PEER_DETECTION: Final = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}

NEKO: Final = read_environment(os.environ)
NEKO_RATES: Final = Rates()


def _session_options(*, statement_timeout_ms: int) -> str:
    """The session values every connection of ours carries, as libpq's `options`."""
    values = {
        "search_path": ",".join(SEARCH_PATH),
        "statement_timeout": statement_timeout_ms,
        "lock_timeout": LOCK_TIMEOUT_MS,
        "idle_in_transaction_session_timeout": max(IDLE_IN_TRANSACTION_TIMEOUT_MS, statement_timeout_ms),
    }
    return " ".join(f"-c {name}={value}" for name, value in values.items())


def _database(url: str) -> dict[str, Any]:
    """Django's form of a libpq address; unix sockets, sslmode and every other libpq word are kept."""
    words: dict[str, Any] | None = None
    with suppress(ProgrammingError):
        words = conninfo_to_dict(url)
    if words is None:
        # Raised out here: libpq's own message may quote the address, and with it the password.
        raise ConfigurationInvalid(("DATABASE_URL: libpq cannot read it",))
    migrating = sys.argv[1:2] == ["migrate"]
    own_options = _session_options(
        statement_timeout_ms=MIGRATION_STATEMENT_TIMEOUT_MS if migrating else STATEMENT_TIMEOUT_MS
    )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": words.pop("dbname", ""),
        "USER": words.pop("user", ""),
        "PASSWORD": words.pop("password", ""),
        "HOST": words.pop("host", ""),
        "PORT": words.pop("port", ""),
        "OPTIONS": {
            "connect_timeout": CONNECT_TIMEOUT_SECONDS,
            **DEAD_PEER_DETECTION,
            **words,
            "options": " ".join(filter(None, (words.get("options"), own_options))),
            "prepare_threshold": 5,
        },
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "ATOMIC_REQUESTS": False,
        "TEST": {"TEMPLATE": os.environ.get("NEKO_TEST_TEMPLATE") or None},
    }


def _celery_broker(url: str) -> str:
    """Kombu's form of a Redis address: it calls a unix socket redis+socket and the database virtual_host."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    query["virtual_host"] = query.pop("db", "0")
    # A bare netloc is written out, since urlunsplit drops the empty one of a scheme it does not know.
    return f"redis+socket://{parts.netloc}{urlunsplit(('', '', parts.path, urlencode(query), ''))}"


def _django_secret(pepper: str | None) -> str:
    """Django insists on a SECRET_KEY, though nothing of ours signs with it: no sessions, cookies or CSRF.

    Derived one way, so that the processes of one installation agree; without a pepper it is random and dies
    with the process.
    """
    if pepper is None:
        return secrets.token_hex(32)
    return hashlib.blake2b(pepper.encode(), digest_size=32, person=b"django-secret").hexdigest()


DEBUG = False
SECRET_KEY = _django_secret(NEKO.hmac_pepper)
ALLOWED_HOSTS = list(NEKO.allowed_hosts)
ROOT_URLCONF = "nekonymous_site.urls"
WSGI_APPLICATION = "nekonymous_site.wsgi.application"
INSTALLED_APPS = [*PLANES, "nekonymous_site"]
MIDDLEWARE = ["nekonymous_site.http_middleware.finish_every_answer"]
APPEND_SLASH = False
# These three ask for middleware of pages with forms and cookies. There are neither, and the headers they
# would set are set on every answer by http_middleware.
SILENCED_SYSTEM_CHECKS = ["security.W001", "security.W002", "security.W003"]

# Without an address there is Django's dummy backend: commands that need no database still work.
DATABASES = {"default": _database(NEKO.database_url)} if NEKO.database_url else {}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

USE_TZ = True
TIME_ZONE = "UTC"
# What people read comes from the bot's own catalogues; Django's own words are for operators.
USE_I18N = False
LANGUAGE_CODE = "en"

LOGGING_CONFIG = "nekonymous_site.logging_redaction.configure_logging"
LOGGING = {"level": "INFO"}

CELERY_QUEUES: Final = (
    "outbox",
    "gathering",
    "notification",
    "inbox_drain",
    "index",
    "stats",
    "maintenance",
)
# An unnamed broker must not become Celery's default one on this machine.
CELERY_BROKER_URL = _celery_broker(NEKO.redis_url) if NEKO.redis_url else "memory://"
CELERY_TASK_QUEUES = {name: {"exchange": name, "routing_key": name} for name in CELERY_QUEUES}
CELERY_TASK_DEFAULT_QUEUE = "maintenance"
CELERY_TASK_CREATE_MISSING_QUEUES = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_BACKEND: str | None = None
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A publish may never hold up a request: one quick try, and the sweeper finds the work anyway.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 0.3,
    "socket_connect_timeout": 0.3,
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0,
    "interval_max": 0,
    "visibility_timeout": 60,
    # Kombu looks for lost tasks only every tenth round of ten seconds unless told to look each round.
    "unacked_restore_interval": 1,
}
CELERY_TIMEZONE = "UTC"
