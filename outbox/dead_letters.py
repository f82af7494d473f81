"""Dead letters: intents that could not be sent, sealed for 30 days; an operator replays or drops them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, LiteralString

from nekonymous_site.crypto.blind_tags import lane_tag
from nekonymous_site.crypto.errors import EnvelopeUnreadable, UnknownKeyId
from nekonymous_site.crypto.identifiers import ChatId, StoredBytes
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.pipeline import Answer, Row, StatementPipeline, first_row
from outbox.errors import NotReplayed, WhyNotReplayed
from outbox.intent_kinds import IntentKind
from outbox.row_handles import handle_range
from outbox.services import TAKE_PLACE_IN_LANE, intent_record

_REPLAY: Final[LiteralString] = f"""
    WITH lane AS ({TAKE_PLACE_IN_LANE})
    UPDATE outbox.intent SET state = 'pending', attempts = 0, not_before = NULL,
        lane_tag = lane.lane_tag, position = lane.position
    FROM lane WHERE intent.intent_id = %(intent_id)s
"""  # noqa: S608 - made of constants


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    intent_id: bytes
    kind: str
    created_on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterCount:
    """How many letters of a kind were queued so many days ago."""

    kind: str
    age_days: int
    letters: int


def queue_letter_counts(pipeline: StatementPipeline, *, kind: str | None) -> Answer[list[DeadLetterCount]]:
    """Count dead letters, of one kind or of all, by kind and age: some kinds times some 30 days."""
    return pipeline.queue(
        """
        SELECT kind, current_date - created_on, count(*) FROM outbox.intent
        WHERE state = 'dead' AND kind = coalesce(%s, kind) GROUP BY kind, created_on
        ORDER BY kind, created_on DESC
        """,
        [kind],
        read=lambda rows: [
            DeadLetterCount(kind=kind, age_days=age_days, letters=letters) for kind, age_days, letters in rows
        ],
    )


def queue_oldest_letters(
    pipeline: StatementPipeline, *, kind: str | None, limit: int
) -> Answer[list[DeadLetter]]:
    """Give the letters that will go first."""
    return pipeline.queue(
        """
        SELECT intent_id, kind, created_on FROM outbox.intent
        WHERE state = 'dead' AND kind = coalesce(%s, kind) ORDER BY created_on, intent_id LIMIT %s
        """,
        [kind, limit],
        read=lambda rows: [
            DeadLetter(intent_id=bytes(intent_id), kind=kind, created_on=created_on)
            for intent_id, kind, created_on in rows
        ],
    )


def queue_letters_after(
    pipeline: StatementPipeline, *, after: bytes, kind: str | None, limit: int
) -> Answer[list[bytes]]:
    """Give the ids behind this one, in order: a walk along them meets each letter once and has an end."""
    return pipeline.queue(
        """
        SELECT intent_id FROM outbox.intent
        WHERE state = 'dead' AND kind = coalesce(%s, kind) AND intent_id > %s ORDER BY intent_id LIMIT %s
        """,
        [kind, after, limit],
        read=_ids,
    )


def queue_letters_found(pipeline: StatementPipeline, handle: str, *, limit: int) -> Answer[list[bytes]]:
    """Find the letters whose id begins with these digits."""
    return pipeline.queue(
        """
        SELECT intent_id FROM outbox.intent
        WHERE state = 'dead' AND intent_id BETWEEN %s AND %s ORDER BY intent_id LIMIT %s
        """,
        [*handle_range(handle), limit],
        read=_ids,
    )


def queue_letter_replayed(pipeline: StatementPipeline, intent_id: bytes) -> None:
    """Put a dead letter back at the end of its lane, with all its attempts before it.

    Keeps the mark of a possible repeat, the parts that have arrived, and its day: it goes 30 days after
    it was queued. Locks the letter and then its lane. May be repeated: raises NotReplayed where nothing is
    dead any more, or where the letter does not open.
    """
    row = pipeline.queue(
        "SELECT kind, body FROM outbox.intent WHERE intent_id = %s AND state = 'dead' FOR UPDATE",
        [intent_id],
        read=first_row,
    ).value
    if row is None:
        raise NotReplayed(WhyNotReplayed.GONE)
    kind, envelope = row
    body = _open(kind, intent_id=intent_id, envelope=envelope)
    pipeline.queue_write(_REPLAY, {"intent_id": intent_id, "lane_tag": lane_tag(ChatId(body["chat"]))})


def queue_letters_dropped(pipeline: StatementPipeline, intent_ids: Sequence[bytes]) -> Answer[list[bytes]]:
    """Delete dead letters for good, and tell which. One that is not dead any more stays."""
    return pipeline.queue(
        "DELETE FROM outbox.intent WHERE intent_id = ANY(%s) AND state = 'dead' RETURNING intent_id",
        [list(intent_ids)],
        read=_ids,
    )


def _open(kind: str, *, intent_id: bytes, envelope: StoredBytes) -> dict[str, Any]:
    if kind not in list(IntentKind):  # of another version
        raise NotReplayed(WhyNotReplayed.UNREADABLE)
    try:
        plaintext = open_record(intent_record(IntentKind(kind)), record_id=intent_id, envelope=envelope)
    except UnknownKeyId:
        raise NotReplayed(WhyNotReplayed.KEY_MISSING) from None
    except EnvelopeUnreadable:
        raise NotReplayed(WhyNotReplayed.UNREADABLE) from None
    body: dict[str, Any] = json.loads(plaintext)
    return body


def _ids(rows: list[Row]) -> list[bytes]:
    return [bytes(row_id) for (row_id,) in rows]
