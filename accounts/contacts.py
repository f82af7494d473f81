"""Blocks and nicknames: whom a person does not want to hear from, and what they call those who write.

Both lie under tags that name nobody to anybody else. A block outlives a reset of whoever is blocked, a
nickname does not. Writes concern the account of whoever asked, whose actor lock is held.
"""

import json
import secrets
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import structlog

from accounts.records import BLOCK_NOTE, NICKNAME
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.crypto.identifiers import AccountId, BlockTag, ContactTag, Envelope
from nekonymous_site.crypto.sealed_envelope import open_record, seal_record
from nekonymous_site.crypto.sealed_values import read_sealed_value
from nekonymous_site.pipeline import Answer, Row, StatementPipeline, any_row

log = structlog.get_logger("contacts")

MOST_BLOCKS: Final = 500
MOST_NICKNAMES: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BlockNote:
    """By which message the owner of a block knows whom it concerns."""

    number: str
    on: date
    contact_tag: ContactTag


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block as its owner's list shows it."""

    block_id: bytes
    envelope: Envelope = field(repr=False)

    def note(self) -> BlockNote:
        """Open the note; raises CryptoError when it cannot be opened."""
        return read_sealed_value(
            open_record(BLOCK_NOTE, record_id=self.block_id, envelope=self.envelope),
            read=lambda value: BlockNote(
                number=value["number"],
                on=date.fromisoformat(value["on"]),
                contact_tag=ContactTag(bytes.fromhex(value["contact"])),
            ),
        )


def queue_blocked(
    pipeline: StatementPipeline, account_id: AccountId, *, block_tag: BlockTag, note: BlockNote
) -> Answer[bool]:
    """Block whoever the tag stands for; False when the list is full. May be repeated."""
    block_id = secrets.token_bytes(16)
    plaintext = json.dumps(
        {"number": note.number, "on": note.on.isoformat(), "contact": note.contact_tag.hex()}
    ).encode()
    return pipeline.queue(
        """
        WITH added AS (
            INSERT INTO accounts.block (block_id, account_id, block_tag, note)
            SELECT %s, %s, %s, %s
            WHERE (SELECT count(*) FROM accounts.block WHERE account_id = %s) < %s
            ON CONFLICT (block_tag) DO NOTHING RETURNING 1
        )
        SELECT 1 FROM added UNION ALL SELECT 1 FROM accounts.block WHERE block_tag = %s
        """,
        [
            *(block_id, account_id, block_tag),
            seal_record(BLOCK_NOTE, record_id=block_id, plaintext=plaintext),
            *(account_id, MOST_BLOCKS, block_tag),
        ],
        read=any_row,
    )


def queue_unblocked(pipeline: StatementPipeline, *, block_tag: BlockTag) -> None:
    """Lift the block on whoever the tag stands for. May be repeated."""
    pipeline.queue_write("DELETE FROM accounts.block WHERE block_tag = %s", [block_tag])


def queue_block_lifted(
    pipeline: StatementPipeline, account_id: AccountId, *, block_id: bytes
) -> Answer[bool]:
    """Lift one block of a person's list; False when it is not there (any more)."""
    return pipeline.queue(
        "DELETE FROM accounts.block WHERE block_id = %s AND account_id = %s RETURNING 1",
        [block_id, account_id],
        read=any_row,
    )


def queue_all_blocks_lifted(pipeline: StatementPipeline, account_id: AccountId) -> None:
    """Lift every block of a person. May be repeated."""
    pipeline.queue_write("DELETE FROM accounts.block WHERE account_id = %s", [account_id])


def queue_is_blocked(pipeline: StatementPipeline, block_tag: BlockTag) -> Answer[bool]:
    """Ask whether there is a block."""
    return pipeline.queue("SELECT 1 FROM accounts.block WHERE block_tag = %s", [block_tag], read=any_row)


def queue_block_count(pipeline: StatementPipeline, account_id: AccountId) -> Answer[int]:
    """Count the blocks of a person."""
    return pipeline.queue(
        "SELECT count(*) FROM accounts.block WHERE account_id = %s",
        [account_id],
        read=lambda rows: rows[0][0],
    )


def queue_blocks(
    pipeline: StatementPipeline, account_id: AccountId, *, offset: int, limit: int
) -> Answer[list[Block]]:
    """List a stretch of a person's blocks, in an order that says nothing of when they came about."""

    def read(rows: list[Row]) -> list[Block]:
        return [Block(block_id=block_id, envelope=note) for block_id, note in rows]

    return pipeline.queue(
        """
        SELECT block_id, note FROM accounts.block WHERE account_id = %s ORDER BY block_id OFFSET %s LIMIT %s
        """,
        [account_id, offset, limit],
        read=read,
    )


def queue_nickname_set(
    pipeline: StatementPipeline, account_id: AccountId, *, contact_tag: ContactTag, name: str
) -> Answer[bool]:
    """Call a contact by a clean, short name from now on; False when there are too many names already."""
    return pipeline.queue(
        """
        INSERT INTO accounts.nickname (contact_tag, account_id, name)
        SELECT %s, %s, %s
        WHERE (SELECT count(*) FROM accounts.nickname WHERE account_id = %s AND contact_tag <> %s) < %s
        ON CONFLICT (contact_tag) DO UPDATE SET name = EXCLUDED.name RETURNING 1
        """,
        [
            *(contact_tag, account_id),
            seal_record(NICKNAME, record_id=contact_tag, plaintext=name.encode()),
            *(account_id, contact_tag, MOST_NICKNAMES),
        ],
        read=any_row,
    )


def queue_nickname_removed(pipeline: StatementPipeline, *, contact_tag: ContactTag) -> None:
    """Call a contact nothing any more. May be repeated."""
    pipeline.queue_write("DELETE FROM accounts.nickname WHERE contact_tag = %s", [contact_tag])


def queue_nickname(pipeline: StatementPipeline, contact_tag: ContactTag) -> Answer[str | None]:
    """Look up what a contact is called; a name that is spoilt is as good as none.

    Reading the answer may raise UnknownKeyId.
    """

    def read(rows: list[Row]) -> str | None:
        try:
            return (
                open_record(NICKNAME, record_id=contact_tag, envelope=rows[0][0]).decode() if rows else None
            )
        except EnvelopeUnreadable:
            log.warning("nickname_unreadable")
            return None

    return pipeline.queue(
        "SELECT name FROM accounts.nickname WHERE contact_tag = %s", [contact_tag], read=read
    )
