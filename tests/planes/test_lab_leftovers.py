"""What the fault lab finds in tables and logs after a run: each kind of leftover is seen."""

import secrets
from pathlib import Path

import pytest
from delivery_scenes import ask_for_one_message
from django.db import connection
from stored_rows import change_rows
from town import Town

from nekonymous_site.fault_lab import leftovers


def _found(*, letters: int) -> list[str]:
    """What the lab finds, in the transaction of this test."""
    return list(leftovers.find_in_tables(connection.connection, letters=letters))


def test_a_town_at_rest_has_none(town: Town) -> None:
    ask_for_one_message(town)
    town.settle()
    assert _found(letters=1) == []


def test_a_message_that_waits_is_no_leftover_and_what_does_not_belong_together_is(town: Town) -> None:
    _, link = town.owner()
    town.writes(town.person("Alice"), link, "waits")
    town.settle()
    assert _found(letters=1) == []
    change_rows("DELETE FROM accounts.unread")
    assert _found(letters=1) == ["undelivered tickets without an unread row: 1"]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("DELETE FROM tickets.ticket", "unread rows without a ticket: 1"),
        (
            "UPDATE accounts.unread SET state = 'sending', attempt_id = '\\x00'",
            "unread rows on their way to nobody: 1",
        ),
        ("UPDATE outbox.intent SET state = 'dead', body = 'x' WHERE kind = 'notice'", "dead letters: 1"),
        ("DELETE FROM stats.event", "1 letters were written, 1 tickets made, 0 acceptances counted"),
    ],
)
def test_each_leftover_is_named(town: Town, change: str, found: str) -> None:
    _, link = town.owner()
    town.writes(town.person("Alice"), link, "waits")
    town.settle()
    change_rows(change)
    assert found in _found(letters=1)


def test_a_value_in_a_log_is_found_across_the_pieces_in_which_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "CHUNK_BYTES", 7)
    secret = secrets.token_hex(8)
    (tmp_path / "worker.log").write_text(f"{{'event': 'x'}} and then {secret} and more")
    assert list(leftovers.find_in_logs([tmp_path], secrets=[secret])) == [
        "values that must not be in the log worker.log: 1"
    ]
    assert list(leftovers.find_in_logs([tmp_path], secrets=["another value"])) == []
