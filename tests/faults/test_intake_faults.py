"""An update that meets a failure of ours comes again, whole, or is sealed away so that the next is heard."""

import json
from typing import Any, NoReturn

import psycopg
import pytest
from django.db import DataError, IntegrityError, OperationalError, ProgrammingError, connection
from psycopg.conninfo import make_conninfo
from stored_rows import read_rows, read_value
from town import Town, count

from nekonymous_site.bot import bot_identity, handler_registry, outcome_texts
from nekonymous_site.bot.telegram_updates import fetch_updates
from nekonymous_site.bot.update_intake import IntakeAnswer, take_update
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen
from nekonymous_site.canaries.database_contents import read_database
from nekonymous_site.canaries.ledger import Ledger
from nekonymous_site.canaries.marks import find_kinds, make_mark
from nekonymous_site.crypto import process_keys
from nekonymous_site.crypto.errors import CryptoError, EnvelopeUnreadable
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.sandbox.people import Person
from outbox.services import parked_update_record

CANARY = "canary-4711-words"
OK = IntakeAnswer(status=200)
AGAIN = IntakeAnswer(status=503, retry_after_seconds=5)
PLANE_TABLES = (
    "accounts.account",
    "accounts.draft",
    "accounts.unread",
    "tickets.ticket",
    "outbox.intent",
    "outbox.update_receipt",
)


def _row_counts() -> dict[str, int]:
    return {table: count(table) for table in PLANE_TABLES}


def _next_update() -> bytes:
    [update] = fetch_updates(offset=None, wait_seconds=0)
    return json.dumps(update).encode()


def _database_words() -> dict[str, Any]:
    place = connection.settings_dict
    words = {name: place[name.upper()] for name in ("host", "port", "user", "password")}
    return {name: value for name, value in words.items() if value} | {"dbname": place["NAME"]}


def _fail(monkeypatch: pytest.MonkeyPatch, command: str, error: Exception) -> None:
    """Let a handler do its work and then raise."""
    answer = handler_registry.COMMANDS[command]

    def fail(visit: Visit, argument: str) -> NoReturn:
        answer(visit, argument)
        raise error

    monkeypatch.setitem(handler_registry.COMMANDS, command, fail)


def _execute(monkeypatch: pytest.MonkeyPatch, command: str, sql: Any) -> None:  # noqa: ANN401 - any statement
    """Let a handler queue one statement and read nothing."""

    def execute(visit: Visit, _argument: str) -> HandlerAnswer:
        visit.pipeline.queue_write(sql)
        return screen("never seen")

    monkeypatch.setitem(handler_registry.COMMANDS, command, execute)


def test_a_database_that_goes_away_in_the_middle_stores_nothing(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = lasting_town.person("Bob")
    bob.says("/help")
    raw = _next_update()
    before = _row_counts()

    def break_connection(visit: Visit, _argument: str) -> HandlerAnswer:
        backend = visit.pipeline.queue("SELECT pg_backend_pid()", read=lambda rows: rows[0][0]).value
        with psycopg.connect(**_database_words(), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])
        return screen("never seen")

    with monkeypatch.context() as broken:
        broken.setitem(handler_registry.COMMANDS, "help", break_connection)
        assert take_update(raw) == AGAIN
    assert _row_counts() == before
    assert count("outbox.update_failure") == 0, "this was not the update's fault"
    assert take_update(raw) == OK
    lasting_town.pump()
    assert "/inbox" in bob.sees()[-1].text


def test_a_database_that_is_not_there_is_waited_for(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = lasting_town.person("Bob")
    bob.says("/help")
    raw = _next_update()
    before = _row_counts()
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "HOST", "/nowhere")
        connection.close()
        for _ in range(4):
            assert take_update(raw) == AGAIN
    assert _row_counts() == before
    assert take_update(raw) == OK


def _parked() -> list[bytes]:
    opened = []
    for parked_id, body in read_rows("SELECT parked_id, body FROM outbox.parked_update"):
        assert isinstance(parked_id, bytes)
        assert isinstance(body, bytes)
        # The size of what was parked is not kept: the kinds are tried as an operator's command would.
        for size in (0, 5_000, 10_000):
            try:
                opened.append(open_record(parked_update_record(size), record_id=parked_id, envelope=body))
            except CryptoError:
                continue
            break
    return opened


def _say_what_breaks(town: Town) -> Person:
    bob, _ = town.owner()
    bob.says(f"/cancel {CANARY}")
    bob.says("/help")
    return bob


def test_an_update_that_fails_three_times_is_sealed_away_and_the_next_is_heard(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bob = _say_what_breaks(lasting_town)
    _fail(monkeypatch, "cancel", RuntimeError(f"cannot understand {CANARY}"))
    raw = json.dumps(fetch_updates(offset=lasting_town._offset, wait_seconds=0)[0]).encode()
    before = _row_counts()
    for _ in range(2):
        assert lasting_town.take_updates() == [AGAIN]
        assert _row_counts() == before
    assert lasting_town.take_updates() == [OK, OK]
    lasting_town.settle()
    texts = [message.text for message in bob.sees() if message.from_bot]
    assert texts[-2] == outcome_texts.update_parked("en")
    assert "/inbox" in texts[-1]
    assert _parked() == [raw]

    url = make_conninfo(**_database_words())
    ledger = Ledger([make_mark("text", CANARY)])
    ledger.search(read_database(url), moment="now")
    assert ledger.findings() == []
    logged = capsys.readouterr().err
    assert "update_parked" in logged
    assert find_kinds(logged.encode(), marks=ledger.marks) == []
    assert take_update(raw) == OK, "once parked it is done with"
    assert len(_parked()) == 1


def test_a_stranger_whose_first_word_is_poison_is_parked_too(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.person("Mallory").says("/help")
    _fail(monkeypatch, "help", RuntimeError())
    assert [town.take_updates() for _ in range(3)] == [[AGAIN], [AGAIN], [OK]]
    assert count("accounts.account") == 0
    assert len(_parked()) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 / 0",
        "SELECT 'x'::int",
        "INSERT INTO outbox.send_pace (scope) VALUES ('a'), ('a')",
        "INSERT INTO outbox.update_receipt (bot_id, update_id, received_on) VALUES (1, NULL, current_date)",
    ],
)
def test_a_statement_that_can_never_work_is_the_updates_own_fault(
    town: Town, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    """Else one update would come again for ever, and with long polling nobody else's would come at all."""
    bob = _say_what_breaks(town)
    _execute(monkeypatch, "cancel", sql)
    assert [town.take_updates() for _ in range(3)] == [[AGAIN], [AGAIN], [OK, OK]]
    town.settle()
    assert "/inbox" in bob.sees()[-1].text


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("the database is starting up"),
        ProgrammingError("a table of tomorrow is not there yet"),
        bot_identity.BotNotIdentified(),
    ],
)
def test_what_passes_is_never_counted(town: Town, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    bob = _say_what_breaks(town)
    with monkeypatch.context() as passing:
        _fail(passing, "cancel", error)
        assert [town.take_updates() for _ in range(7)] == [[AGAIN]] * 7
    assert count("outbox.update_failure") == count("outbox.parked_update") == 0
    assert town.take_updates() == [OK, OK]
    town.pump()
    assert "/inbox" in bob.sees()[-1].text


@pytest.mark.parametrize(
    "error", [ValueError("x"), EnvelopeUnreadable(), DataError("x"), IntegrityError("x")]
)
def test_what_does_not_pass_is_counted_and_a_pause_does_not_forget(
    town: Town, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    _say_what_breaks(town)
    for failure in (error, OperationalError()):
        with monkeypatch.context() as broken:
            _fail(broken, "cancel", failure)
            assert town.take_updates() == [AGAIN]
    assert read_value("SELECT failures FROM outbox.update_failure") == 1
    assert town.take_updates() == [OK, OK]
    assert count("outbox.parked_update") == 0


def test_without_keys_an_update_comes_again_and_nothing_is_raised(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say_what_breaks(town)
    with monkeypatch.context() as keyless:
        keyless.setattr(process_keys._configured, "keys", None)
        assert [town.take_updates() for _ in range(5)] == [[AGAIN]] * 5
    assert town.take_updates() == [OK, OK]


def test_a_second_copy_of_anything_changes_nothing(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    acts = [alice.opens(link), alice.says("I liked your talk.")]
    town.settle()
    acts += [bob.says("/inbox")]
    town.settle()
    [message] = town.delivered(bob)
    acts += [bob.taps(message, "r:"), bob.says("Thank you!")]
    town.settle()
    before = _row_counts()
    chats = (alice.sees(), bob.sees())
    for act in acts:
        assert act.update_id is not None
        town.sandbox.repeat_update(act.update_id)
    town.settle()
    assert _row_counts() == before
    assert (alice.sees(), bob.sees()) == chats
    assert {answer.status for answer in town.answers} == {200}
