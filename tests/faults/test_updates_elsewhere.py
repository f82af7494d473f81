"""Whoever does not speak in their own private chat is nobody: no account, no route, no answer."""

import json
from typing import Any

import pytest
from stored_rows import read_rows
from town import Town, count

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.update_intake import IntakeAnswer, take_update
from nekonymous_site.sandbox.people import Person

EFFECTS = (
    "accounts.account",
    "accounts.draft",
    "accounts.composition",
    "accounts.unread",
    "tickets.ticket",
    "outbox.intent",
)


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
    people, effects = _people(), [count(table) for table in EFFECTS]
    raw = json.dumps({"update_id": 77} | _elsewhere(kind, person, stranger)).encode()
    assert take_update(raw) == NOT_PRIVATE
    assert _people() == people
    assert [count(table) for table in EFFECTS] == effects
    assert take_update(raw) == NOT_PRIVATE
    assert count("outbox.update_receipt", "update_id = 77") == 1, "a second copy changes nothing"
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
    assert answer.body == {
        "method": "answerCallbackQuery",
        "callback_query_id": "1",
        "text": outcome_texts.inbox_empty("en"),
    }
    assert town.pump() == 0, "the toast says it all"
