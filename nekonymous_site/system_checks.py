"""What stops a start: wrong, weak or missing configuration, each with an id and a hint.

Checks that a bare checkout cannot pass (names missing, running as root) count as deployment checks: they run
in `check --deploy` and at the start of every process, yet leave `makemigrations` usable anywhere. No message
repeats a value. Checks of the database are silent while it cannot be reached: that is /ready's to say.
"""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as Caution
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection

from nekonymous_site.crypto import process_keys
from nekonymous_site.crypto.errors import KeysNotConfigured, MalformedKeys
from outbox.key_check import do_keys_fit

NEKO_TAG: Final = "neko"
SHORTEST_WEBHOOK_SECRET: Final = 16
READ_OR_WRITE_BY_OTHERS: Final = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH
VECTOR_SQL: Final = (
    "CREATE SCHEMA IF NOT EXISTS extensions; GRANT USAGE ON SCHEMA extensions TO PUBLIC; "
    "CREATE EXTENSION IF NOT EXISTS vector SCHEMA extensions;"
)


def register_checks() -> None:
    """Make the checks known to Django; may be repeated."""
    for check in (check_nothing_is_missing, check_not_root):
        register(check, NEKO_TAG, deploy=True)
    for check in (
        check_keys,
        check_webhook_secret,
        check_debug_is_off,
        check_celery_keeps_no_results,
        check_public_url_is_https,
        check_allowed_hosts,
        check_data_folder_is_private,
    ):
        register(check, NEKO_TAG, Tags.security)
    for database_check in (
        check_search_path,
        check_vector_extension,
        check_reader_roles,
        check_database_serves_this_bot,
        check_keys_fit_database,
    ):
        register(database_check, NEKO_TAG, Tags.database)


def check_nothing_is_missing(**_asked: object) -> list[CheckMessage]:
    """neko.E001: a name without which nothing works was not given."""
    missing = settings.NEKO.missing
    if not missing:
        return []
    hint = "Start through ./neko, which makes them in development; in production set them, or NAME_FILE."
    return [Error(f"Not given: {', '.join(missing)}.", hint=hint, id="neko.E001")]


def check_keys(**_asked: object) -> list[CheckMessage]:
    """neko.E002: a key is malformed or weak, or two of them are equal."""
    environment = settings.NEKO
    if environment.master_keys is None or environment.hmac_pepper is None:
        return []
    try:
        process_keys.configure(master_keys=environment.master_keys, pepper=environment.hmac_pepper)
    except MalformedKeys as error:
        hint = (
            "NEKO_MASTER_KEYS is kid:key, comma separated, NEKO_HMAC_PEPPER a key of its own; a key is the "
            "unpadded Base64URL of 32 random bytes, as python3 prints for secrets.token_urlsafe(32)."
        )
        return [Error(str(error), hint=hint, id="neko.E002")]
    return []


def check_webhook_secret(**_asked: object) -> list[CheckMessage]:
    """neko.E003: the webhook secret can be guessed."""
    secret = settings.NEKO.webhook_secret
    if secret is None or len(secret) >= SHORTEST_WEBHOOK_SECRET:
        return []
    message = f"TELEGRAM_WEBHOOK_SECRET has fewer than {SHORTEST_WEBHOOK_SECRET} characters."
    hint = "Whoever guesses it can speak as any person; use 32 random characters or more."
    return [Error(message, hint=hint, id="neko.E003")]


def check_debug_is_off(**_asked: object) -> list[CheckMessage]:
    """neko.E004: DEBUG in production would show values in error pages."""
    if not (settings.DEBUG and settings.NEKO.mode == "production"):
        return []
    return [Error("DEBUG is on in production.", hint="Take it out of the settings.", id="neko.E004")]


def check_celery_keeps_no_results(**_asked: object) -> list[CheckMessage]:
    """neko.E005: a result backend would keep what tasks answered."""
    if not settings.CELERY_RESULT_BACKEND and settings.CELERY_TASK_IGNORE_RESULT:
        return []
    hint = "Leave CELERY_RESULT_BACKEND empty and CELERY_TASK_IGNORE_RESULT on: Celery is only a bell here."
    return [Error("Celery would keep task results.", hint=hint, id="neko.E005")]


def check_public_url_is_https(**_asked: object) -> list[CheckMessage]:
    """neko.E006 in production, neko.W006 in development: updates would travel in the clear."""
    environment = settings.NEKO
    if environment.public_url is None or environment.public_url.startswith("https://"):
        return []
    message = "PUBLIC_URL is plain http."
    if environment.mode == "production":
        return [Error(message, hint="Telegram delivers to https only.", id="neko.E006")]
    return [Caution(message, hint="Only a Bot API server on this machine delivers there.", id="neko.W006")]


def check_allowed_hosts(**_asked: object) -> list[CheckMessage]:
    """neko.E007: every host name is served, or none."""
    hosts = settings.ALLOWED_HOSTS
    if not hosts:
        return [Error("No host name is served.", hint="Name them in NEKO_ALLOWED_HOSTS.", id="neko.E007")]
    if any(host == "*" or (host.startswith(".") and "." not in host[1:]) for host in hosts):
        hint = "Name each host in NEKO_ALLOWED_HOSTS, without * and without a whole top-level domain."
        return [Error("Every host name would be served.", hint=hint, id="neko.E007")]
    return []


def check_data_folder_is_private(**_asked: object) -> list[CheckMessage]:
    """neko.E008: others on this machine can read or change the data folder or the keys in it."""
    folder: Path = settings.NEKO.data_dir
    open_paths = [path for path in (folder, folder / "keys.env") if _is_open_to_others(path)]
    return [
        Error(
            "The data folder can be read or changed by others."
            if path == folder
            else "The keys can be read.",
            hint=f"chmod {'700' if path == folder else '600'} {path}",
            id="neko.E008",
        )
        for path in open_paths
    ]


def _is_open_to_others(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & READ_OR_WRITE_BY_OTHERS)
    except OSError:
        # Not there, or closed even to us.
        return False


def check_not_root(**_asked: object) -> list[CheckMessage]:
    """neko.W009: the process has more rights than it needs."""
    if os.geteuid() != 0:
        return []
    hint = "Run it as a user of its own; whoever breaks in would own the machine."
    return [Caution("Running as root.", hint=hint, id="neko.W009")]


def check_search_path(*, databases: Sequence[str] | None = None, **_asked: object) -> list[CheckMessage]:
    """neko.E010: the tables of the planes would not be found."""
    rows = _rows("SHOW search_path", databases=databases)
    if rows is None:
        return []
    found = tuple(name.strip().strip('"') for name in str(rows[0][0]).split(","))
    if found == settings.SEARCH_PATH:
        return []
    path = ", ".join(settings.SEARCH_PATH)
    hint = f"A pooler drops it. Run: ALTER DATABASE … SET search_path = {path};"
    return [Error("The database's search path is not ours.", hint=hint, id="neko.E010")]


def check_vector_extension(*, databases: Sequence[str] | None = None, **_asked: object) -> list[CheckMessage]:
    """neko.E011: pgvector is not installed where the search path finds it."""
    rows = _rows(
        "SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace"
        " WHERE extname = 'vector'",
        databases=databases,
    )
    if rows is None or any(schema in settings.SEARCH_PATH for (schema,) in rows):
        return []
    hint = f"It must be made by a superuser, once per database: {VECTOR_SQL}"
    return [Error("The extension vector is missing.", hint=hint, id="neko.E011")]


def check_reader_roles(*, databases: Sequence[str] | None = None, **_asked: object) -> list[CheckMessage]:
    """neko.W012: a plane has no read-only role, so backups and audits cannot be confined to it."""
    wanted = [f"neko_{plane}_reader" for plane in settings.PLANES]
    rows = _rows("SELECT rolname FROM pg_roles WHERE rolname LIKE 'neko%reader'", databases=databases)
    if rows is None:
        return []
    missing = [role for role in wanted if (role,) not in rows]
    if not missing:
        return []
    sql = " ".join(f"CREATE ROLE {role} NOLOGIN;" for role in missing)
    hint = f"A superuser makes them once per server, before migrating: {sql}"
    return [Caution("Read-only roles of planes are missing.", hint=hint, id="neko.W012")]


def check_database_serves_this_bot(
    *, databases: Sequence[str] | None = None, **_asked: object
) -> list[CheckMessage]:
    """neko.E013: the database belongs to another bot, whose chats and updates mean nothing to this one."""
    bot_id = settings.NEKO.bot_id
    served = _bot_identity(databases)
    if bot_id is None or served is None or served[0] == bot_id:
        return []
    hint = "Give each bot a database (NEKO_DATA_DIR) of its own, or set the token of the bot served so far."
    return [Error("The database serves another bot.", hint=hint, id="neko.E013")]


def check_keys_fit_database(
    *, databases: Sequence[str] | None = None, **_asked: object
) -> list[CheckMessage]:
    """neko.E014: with other keys nothing stored opens, and everybody would be a stranger."""
    served = _bot_identity(databases)
    if served is None:
        return []
    _, pepper_check, sealed_check = served
    try:
        if do_keys_fit(pepper_check=pepper_check, sealed_check=sealed_check):
            return []
    except KeysNotConfigured:
        return []  # missing and malformed keys have checks of their own
    hint = "Put NEKO_MASTER_KEYS and NEKO_HMAC_PEPPER back as they were (keys.env of the launcher)."
    return [Error("These are not the keys that the database was begun with.", hint=hint, id="neko.E014")]


def _bot_identity(databases: Sequence[str] | None) -> tuple[int, bytes, bytes] | None:
    """What the database says of its bot; None before the migrations and before the bot was first asked."""
    if not _rows("SELECT 1 WHERE to_regclass('outbox.bot_identity') IS NOT NULL", databases=databases):
        return None
    rows = _rows(
        "SELECT bot_id, pepper_check, sealed_check FROM outbox.bot_identity WHERE scope = 'bot'",
        databases=databases,
    )
    if not rows:
        return None
    bot_id, pepper_check, sealed_check = rows[0]
    return cast("int", bot_id), bytes(cast("bytes", pepper_check)), bytes(cast("bytes", sealed_check))


def _rows(query: str, *, databases: Sequence[str] | None) -> list[tuple[object, ...]] | None:
    """The rows of a query, or None when the database was not asked for or cannot be reached."""
    if not databases:
        return None
    try:
        with connection.cursor() as cursor:
            cursor.execute(query)
            rows: list[tuple[object, ...]] = cursor.fetchall()
            return rows
    except (OperationalError, ImproperlyConfigured):
        return None
