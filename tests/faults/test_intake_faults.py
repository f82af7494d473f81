"""An update that meets a failure of ours comes again or is sealed away; and nobody speaks for another."""

import json
from typing import Any, NoReturn

import psycopg
import pytest
from canary_sweep import dump_tables, find_canaries
from django.db import DataError, IntegrityError, OperationalError, ProgrammingError, connection
from psycopg.conninfo import make_conninfo
from stored_rows import read_rows, read_value
from town import Town, count

from nekonymous_site.bot import bot_identity, handler_registry
from nekonymous_site.bot.telegram_updates import fetch_updates
from nekonymous_site.bot.update_intake import IntakeAnswer, take_update
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen
from nekonymous_site.crypto import process_keys
from nekonymous_site.crypto.errors import CryptoError, EnvelopeUnreadable, UnknownKeyId
from nekonymous_site.crypto.identifiers import KeyId
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
    assert texts[-2].startswith("Something went wrong with what you sent")
    assert "/inbox" in texts[-1]
    assert _parked() == [raw]

    url = make_conninfo(**_database_words())
    assert find_canaries("\n".join(dump_tables(url).values()), canaries=[CANARY]) == []
    logged = capsys.readouterr().err
    assert "update_parked" in logged
    assert find_canaries(logged, canaries=[CANARY]) == []
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
        UnknownKeyId(KeyId(9)),
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


def _people() -> list[tuple[object, ...]]:
    return read_rows(
        "SELECT account_id, actor_hash, chat_route, language, reachable FROM accounts.account ORDER BY 1"
    )


def _private(person: Person) -> dict[str, Any]:
    return {"id": person.id, "type": "private", "first_name": person.first_name}


def _user(person: Person, **changes: object) -> dict[str, Any]:
    return {"id": person.id, "is_bot": False, "first_name": person.first_name} | changes


GROUP = {"id": -1001, "type": "supergroup", "title": "Group"}
NOT_PRIVATE = IntakeAnswer(status=200, body={"ignored": "not_private"})


def _elsewhere(kind: str, person: Person, stranger: Person) -> dict[str, Any]:
    """An update in which this person, or somebody in their name, is not speaking in their own chat."""
    start = {"message_id": 7, "date": 1, "text": "/start"}
    button = {"message_id": 7, "date": 1, "chat": GROUP}
    tap = {"id": "1", "from": _user(person), "chat_instance": "1", "data": "ib:"}
    updates: dict[str, dict[str, Any]] = {
        "group text": {"message": start | {"chat": GROUP, "from": _user(person), "text": "hello"}},
        "group start": {"message": start | {"chat": GROUP, "from": _user(person)}},
        "group command for us": {
            "message": start | {"chat": GROUP, "from": _user(person), "text": "/inbox@x"}
        },
        "anonymous admin": {"message": start | {"chat": GROUP, "from": _user(person), "sender_chat": GROUP}},
        "channel post": {"channel_post": start | {"chat": GROUP | {"type": "channel"}}},
        "message without a sender": {"message": start | {"chat": _private(person)}},
        "message of a bot": {
            "message": start | {"chat": _private(person), "from": _user(person, is_bot=True)}
        },
        "somebody in another's chat": {
            "message": start | {"chat": _private(person), "from": _user(stranger)}
        },
        "tap in a group": {"callback_query": tap | {"message": button}},
        "tap on a message of a group that is gone": {
            "callback_query": tap | {"message": button | {"date": 0}}
        },
        "tap in another's chat": {"callback_query": tap | {"message": button | {"chat": _private(stranger)}}},
        "tap on a message sent through us": {"callback_query": tap | {"inline_message_id": "x"}},
        "tap of a bot": {
            "callback_query": tap
            | {"from": _user(person, is_bot=True), "message": button | {"chat": _private(person)}}
        },
        "edited message": {"edited_message": start | {"chat": _private(person), "from": _user(person)}},
        "membership": {"my_chat_member": {"chat": _private(person), "from": _user(person)}},
        "nothing": {},
    }
    return updates[kind]


ELSEWHERE = [
    "group text",
    "group start",
    "group command for us",
    "anonymous admin",
    "channel post",
    "message without a sender",
    "message of a bot",
    "somebody in another's chat",
    "tap in a group",
    "tap on a message of a group that is gone",
    "tap in another's chat",
    "tap on a message sent through us",
    "tap of a bot",
    "edited message",
    "membership",
    "nothing",
]


@pytest.mark.parametrize("kind", ELSEWHERE)
@pytest.mark.parametrize("is_known", [True, False])
def test_nothing_said_elsewhere_makes_or_changes_anybody(town: Town, kind: str, *, is_known: bool) -> None:
    person, stranger = town.person("Bob"), town.person("Mallory", "fa")
    if is_known:
        person.says("/start")
        town.settle()
    people, before = _people(), _row_counts()
    raw = json.dumps({"update_id": 77} | _elsewhere(kind, person, stranger)).encode()
    assert take_update(raw) == NOT_PRIVATE
    assert _people() == people
    assert _row_counts() == before | {"outbox.update_receipt": before["outbox.update_receipt"] + 1}
    assert take_update(raw) == OK, "a second copy is known"
    assert town.pump() == 0


def test_a_group_in_the_sandbox_hears_nothing(town: Town) -> None:
    bob, _ = town.owner()
    group = town.sandbox.group()
    people = _people()
    for text in ("hello", "/start", "/inbox"):
        group.hears(bob, text)
    town.settle()
    assert _people() == people
    assert not any(message.from_bot for message in group.sees())


def test_a_tap_on_a_message_too_old_to_be_shown_still_counts(town: Town) -> None:
    """Telegram gives such a message without its content, but with its chat."""
    bob, _ = town.owner()
    message = {"chat": _private(bob), "message_id": 7, "date": 0}
    tap = {"id": "1", "from": _user(bob), "chat_instance": "1", "data": "ib:", "message": message}
    answer = take_update(json.dumps({"update_id": 77, "callback_query": tap}).encode())
    assert answer.body == {"method": "answerCallbackQuery", "callback_query_id": "1"}
    town.pump()
    assert bob.sees()[-1].text == "Your inbox is empty."
