"""What is left in tables and logs after a run: the invariants that no chat shows."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import psycopg

from accounts.records import UNREAD_CAPABILITY
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.fault_lab.lab import Lab

_COUNTS: Final = {
    "intents that are neither over nor dead": """
        SELECT count(*) FROM outbox.intent WHERE state IN ('pending', 'sending', 'unknown_after_send')
    """,
    "dead letters": "SELECT count(*) FROM outbox.intent WHERE state = 'dead'",
    "bodies of intents that are over": """
        SELECT count(*) FROM outbox.intent
        WHERE state IN ('sent', 'suppressed', 'failed') AND (body IS NOT NULL OR lane_tag IS NOT NULL)
    """,
    "payloads of tickets that were read": """
        SELECT count(*) FROM tickets.ticket WHERE status <> 'sealed' AND payload IS NOT NULL
    """,
    "parked updates": "SELECT count(*) FROM outbox.parked_update",
    "unread rows on their way to nobody": "SELECT count(*) FROM accounts.unread WHERE state = 'sending'",
    "drain requests": "SELECT count(*) FROM accounts.drain_request",
    "compositions": "SELECT count(*) FROM accounts.composition",
}
_ACCEPTED: Final = """
    SELECT coalesce(sum(number), 0) FROM (
        SELECT count(*) AS number FROM stats.event WHERE name IN ('message_accepted', 'reply_accepted')
        UNION ALL
        SELECT count FROM stats.daily_count WHERE name IN ('message_accepted', 'reply_accepted')) AS numbers
"""
_DELIVERED: Final = """
    SELECT coalesce(sum(number), 0) FROM (
        SELECT count(*) AS number FROM stats.event WHERE name = 'message_delivered'
        UNION ALL SELECT count FROM stats.daily_count WHERE name = 'message_delivered') AS numbers
"""
CHUNK_BYTES: Final = 1 << 20


def find_leftovers(lab: Lab, *, logs: Sequence[Path], secrets: Sequence[str]) -> tuple[str, ...]:
    """Compare tables with each other and with what was written, and search logs for what must not be there.

    With everything at rest. The keys of this process open what has to be opened for it.
    """
    with psycopg.connect(lab.database_url) as connection:
        in_tables = tuple(find_in_tables(connection, letters=lab.written))
    return *in_tables, *find_in_logs(logs, secrets=[*secrets, *lab.private_values])


def find_in_tables(connection: psycopg.Connection[Any], *, letters: int) -> Iterator[str]:
    """What is left in the tables, and what of them does not belong together, after so many letters."""
    yield from _left_rows(connection)
    yield from _unmatched(connection)
    yield from _wrong_counters(connection, letters=letters)


def _left_rows(connection: psycopg.Connection[Any]) -> Iterator[str]:
    for what, query in _COUNTS.items():
        number = _number(connection, query)
        if number:
            yield f"{what}: {number}"


def _unmatched(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """No unread row without its ticket, and no undelivered ticket without an unread row."""
    rows = connection.execute("SELECT dedupe_tag, capability FROM accounts.unread")
    unread = {_open_hash(bytes(tag), bytes(sealed)) for tag, sealed in rows}
    tickets = {
        bytes(found)
        for (found,) in connection.execute("SELECT ticket_hash FROM tickets.ticket WHERE status = 'sealed'")
    }
    if unread - tickets:
        yield f"unread rows without a ticket: {len(unread - tickets)}"
    if tickets - unread:
        yield f"undelivered tickets without an unread row: {len(tickets - unread)}"


def _open_hash(tag: bytes, sealed: bytes) -> bytes:
    text = open_record(UNREAD_CAPABILITY, record_id=tag, envelope=sealed)
    return bytes(blind_tags.ticket_hash(Capability.parse(text.decode("ascii")).lookup_nonce))


def _wrong_counters(connection: psycopg.Connection[Any], *, letters: int) -> Iterator[str]:
    accepted = _number(connection, _ACCEPTED)
    tickets = _number(connection, "SELECT count(*) FROM tickets.ticket")
    if not accepted == tickets == letters:
        yield f"{letters} letters were written, {tickets} tickets made, {accepted} acceptances counted"
    delivered = _number(connection, _DELIVERED)
    viewed = _number(connection, "SELECT count(*) FROM tickets.ticket WHERE status = 'viewed'")
    if delivered != viewed:
        yield f"{viewed} tickets were delivered, {delivered} deliveries counted"


def find_in_logs(logs: Sequence[Path], *, secrets: Sequence[str]) -> Iterator[str]:
    """The logs that hold a value which no log may hold, with how many values."""
    needles = [secret.encode() for secret in secrets]
    longest = max(map(len, needles), default=0)
    for folder in logs:
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            found = sum(_holds(path, needle, longest=longest) for needle in needles)
            if found:
                yield f"values that must not be in the log {path.name}: {found}"


def _holds(path: Path, needle: bytes, *, longest: int) -> bool:
    with path.open("rb") as file:
        before = b""
        while chunk := file.read(CHUNK_BYTES):
            before += chunk
            if needle in before:
                return True
            before = before[-longest:]
    return False


def _number(connection: psycopg.Connection[Any], query: str) -> int:
    row = connection.execute(query).fetchone()
    return int(row[0]) if row else 0
