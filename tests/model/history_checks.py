"""What holds after every step of a history, and what holds when all has come to rest."""

from collections import Counter
from collections.abc import Iterable

from history_world import World
from inbox_reference import Message
from stored_rows import read_rows, read_value

from nekonymous_site.sandbox.people import SeenMessage


def check_tables(world: World) -> None:
    """Check what is left in the tables: every message is where it must be, and nothing else is there."""
    rows = read_rows("SELECT dedupe_tag, generation FROM accounts.unread")
    unread = {row[0]: row[1] for row in rows}
    sealed = {tag for (tag,) in read_rows("SELECT ticket_hash FROM tickets.ticket WHERE payload IS NOT NULL")}
    for message in world.reference.accepted():
        waits = message.dedupe_tag in unread
        assert waits is (message.ticket_hash in sealed), "an unread row without a ticket, or a ticket without"
        assert waits or message.may_be_gone(), f"{message.text} is lost"
        assert not (waits and message.is_confirmed), f"{message.text} has arrived and still waits"
        message.is_given_back |= bool(unread.get(message.dedupe_tag))
    known = world.reference.accepted()
    assert unread.keys() <= {message.dedupe_tag for message in known}, "a row of a message nobody wrote"
    assert sealed <= {message.ticket_hash for message in known}, "a ticket of a message nobody wrote"
    _check_deliveries()
    _check_counters(world)


def _check_deliveries() -> None:
    [(rows, intents)] = read_rows(
        """
        SELECT (SELECT count(*) FROM accounts.unread WHERE state = 'sending'), count(*) FROM outbox.intent
        WHERE kind = 'ticket' AND state IN ('pending', 'sending', 'unknown_after_send')
        """
    )
    assert isinstance(rows, int)
    assert isinstance(intents, int)
    assert rows <= intents, "a message that nobody will ever send"


def _check_counters(world: World) -> None:
    rows = read_rows(
        """
        SELECT name, sum(count)::int FROM (
            SELECT name, 1 AS count FROM stats.event UNION ALL SELECT name, count FROM stats.daily_count
        ) AS both_places GROUP BY name
        """
    )
    counted = {row[0]: row[1] for row in rows}
    accepted = world.reference.accepted()
    happened = {
        "message_accepted": sum(message.answers is None for message in accepted),
        "reply_accepted": sum(message.answers is not None for message in accepted),
        "message_refused": world.reference.refused,
        "message_withdrawn": world.reference.withdrawn,
        "message_delivered": sum(message.is_confirmed for message in accepted),
    }
    assert {name: counted.get(name, 0) for name in happened} == happened


def check_chats(world: World) -> None:
    """Check what everybody has seen: no copy without the mark but one, none out of its order."""
    for number in range(len(world.people)):
        chat = world.chat_of(number)
        _check_deliveries_seen(world, number, [one for one in chat if one.is_protected])
        _check_answers_seen(world, number, [one for one in chat if one.from_bot and not one.is_protected])


def _check_deliveries_seen(world: World, number: int, seen: list[SeenMessage]) -> None:
    expected = world.messages_to(number)
    assert {one.text for one in seen} <= {message.text for message in expected}, "it came to somebody else"
    copies = Counter(one.text for one in seen)
    unmarked = Counter(one.text for one in seen if not one.has_button("ir:"))
    for message in expected:
        assert unmarked[message.text] <= 1, f"{message.text} came twice and does not say so"
        assert copies[message.text] <= 1 + message.nobody_knew, f"{message.text} came too often"
        assert copies[message.text] or not message.is_confirmed, f"{message.text} has not arrived"
    in_turn = {m.text for m in expected if not (m.is_given_back or m.is_out_of_turn)}
    first_copies = _in_order(one.text for one in seen if one.text in in_turn)
    assert first_copies == [m.text for m in expected if m.text in first_copies], (
        "messages overtook each other"
    )


def _check_answers_seen(world: World, number: int, said: list[SeenMessage]) -> None:
    written = [m for m in world.reference.messages if m.sender == number and m.is_taken]
    answers = Counter(one.reply_to_message_id for one in said)
    for message in written:
        assert answers[message.message_id] <= 1 + message.answer_unknown, "a sender was told twice"
    in_turn = {m.message_id for m in written if not m.answer_out_of_turn}
    first_answers = _in_order(one.reply_to_message_id for one in said if one.reply_to_message_id in in_turn)
    order = [m.message_id for m in written if m.message_id in first_answers]
    assert first_answers == order, "answers overtook each other"


def check_rest(world: World) -> None:
    """Check what holds in the end, when everybody has come back and asked."""
    assert read_rows("SELECT 1 FROM accounts.unread UNION ALL SELECT 1 FROM accounts.drain_request") == []
    assert read_value("SELECT count(*) FROM tickets.ticket WHERE payload IS NOT NULL") == 0
    assert read_value("SELECT count(*) FROM outbox.intent WHERE state <> 'dead' AND body IS NOT NULL") == 0
    unanswered = sum(len(_list_unanswered(world, number)) for number in range(len(world.people)))
    given_up = read_value(
        "SELECT count(*) FROM outbox.intent WHERE kind = 'acknowledgement' AND state IN ('failed', 'dead')"
    )
    assert isinstance(given_up, int)
    assert unanswered <= given_up, "a sender was never told what became of a message"


def _list_unanswered(world: World, number: int) -> list[Message]:
    answered = {
        one.reply_to_message_id for one in world.chat_of(number) if one.from_bot and not one.is_protected
    }
    return [
        message
        for message in world.reference.accepted()
        if message.sender == number and message.message_id not in answered
    ]


def _in_order(values: Iterable[object]) -> list[object]:
    return list(dict.fromkeys(values))
