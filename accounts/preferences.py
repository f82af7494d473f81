"""What a person has set: name, language, time zone, pause, and which kinds of messages they take.

Each write concerns the account of whoever asked for it, whose actor lock is held.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntFlag
from typing import Final

import structlog

from accounts.records import DISPLAY_NAME
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.crypto.identifiers import AccountId, Envelope
from nekonymous_site.crypto.sealed_envelope import open_record, seal_record
from nekonymous_site.pipeline import Answer, Row, StatementPipeline

log = structlog.get_logger("preferences")

TIME_ZONE_OF_LANGUAGE: Final = {"fa": "Asia/Tehran"}
DEFAULT_TIME_ZONE: Final = "UTC"
# A pause that ends only when its owner ends it: a date that the driver can read, unlike `infinity`.
FOR_EVER: Final = datetime(9999, 1, 1, tzinfo=UTC)


class ReceiveKind(IntFlag):
    """Kinds of messages that a person may refuse; the values are stored."""

    TEXT = 1
    PHOTO = 2
    VIDEO = 4  # and animations
    VOICE = 8  # and round video
    DOCUMENT = 16  # and audio
    STICKER = 32


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Preferences:
    """What a person has set."""

    display_name: str | None
    paused_until: datetime | None  # `preferences.FOR_EVER`: until they resume; None: not paused
    refused_kinds: ReceiveKind


def queue_display_name(pipeline: StatementPipeline, account_id: AccountId, *, name: str | None) -> None:
    """Set what whoever opens the link is told, or take it away. `name` must be clean and short."""
    pipeline.queue_write(
        "UPDATE accounts.account SET display_name = %s WHERE account_id = %s",
        [
            seal_record(DISPLAY_NAME, record_id=account_id, plaintext=name.encode()) if name else None,
            account_id,
        ],
    )


def queue_language(pipeline: StatementPipeline, account_id: AccountId, *, language: str) -> None:
    """Set the language of all answers to come."""
    pipeline.queue_write(
        "UPDATE accounts.account SET language = %s WHERE account_id = %s", [language, account_id]
    )


def queue_time_zone(pipeline: StatementPipeline, account_id: AccountId, *, time_zone: str) -> None:
    """Set the IANA time zone in which times are told."""
    pipeline.queue_write(
        "UPDATE accounts.account SET time_zone = %s WHERE account_id = %s", [time_zone, account_id]
    )


def end_of_pause(*, hours: int) -> datetime:
    """Say when a pause of so many hours would end that began now: rounded up to the next full hour."""
    end = datetime.now(UTC) + timedelta(hours=hours)
    full = end.replace(minute=0, second=0, microsecond=0)
    return full if full == end else full + timedelta(hours=1)


def queue_paused(pipeline: StatementPipeline, account_id: AccountId, *, hours: int | None) -> None:
    """Take no messages until `end_of_pause`, or until resumed when None."""
    until = FOR_EVER if hours is None else end_of_pause(hours=hours)
    pipeline.queue_write(
        "UPDATE accounts.account SET paused_until = %s WHERE account_id = %s", [until, account_id]
    )


def queue_resumed(pipeline: StatementPipeline, account_id: AccountId) -> None:
    """Take messages again. May be repeated."""
    pipeline.queue_write(
        "UPDATE accounts.account SET paused_until = NULL WHERE account_id = %s", [account_id]
    )


def queue_kind_toggled(pipeline: StatementPipeline, account_id: AccountId, *, kind: ReceiveKind) -> None:
    """Refuse a kind that was taken, or take one that was refused."""
    pipeline.queue_write(
        "UPDATE accounts.account SET refused_kinds = refused_kinds # %s::smallint WHERE account_id = %s",
        [int(kind), account_id],
    )


def queue_preferences(pipeline: StatementPipeline, account_id: AccountId) -> Answer[Preferences]:
    """Read what a person has set. Reading the answer may raise UnknownKeyId."""

    def read(rows: list[Row]) -> Preferences:
        display_name, paused_until, refused_kinds = rows[0]
        return Preferences(
            display_name=open_display_name(display_name, account_id=account_id),
            paused_until=paused_until,
            refused_kinds=ReceiveKind(refused_kinds),
        )

    return pipeline.queue(
        """
        SELECT display_name, CASE WHEN paused_until > now() THEN paused_until END, refused_kinds
        FROM accounts.account WHERE account_id = %s
        """,
        [account_id],
        read=read,
    )


def open_display_name(envelope: Envelope | None, *, account_id: AccountId) -> str | None:
    """Open a name; one that is spoilt is as good as none. Raises UnknownKeyId."""
    if envelope is None:
        return None
    try:
        return open_record(DISPLAY_NAME, record_id=account_id, envelope=envelope).decode()
    except EnvelopeUnreadable:
        log.warning("display_name_unreadable")
        return None
