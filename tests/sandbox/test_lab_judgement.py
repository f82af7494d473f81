"""The fault lab's view from outside: what it counts as lost, doubled, marked, out of order and unanswered."""

from dataclasses import replace

import pytest

from nekonymous_site.bot.callback_data import REPEAT_MARK, SENDER_MARK, WITHDRAW
from nekonymous_site.fault_lab.letters import Book, Letter, Tally
from nekonymous_site.sandbox.people import Person
from outbox.telegram_client import BotApiCall, request
from tests.sandbox.sandbox_process import RunningSandbox


def _button(data: str) -> dict[str, str]:
    return {"text": data, "callback_data": data}


class _Bot:
    """Sends what a product would, and what none should."""

    def deliver(self, letter: Letter, *, marked: bool = False) -> None:
        marks = [_button(SENDER_MARK + "x"), *([_button(REPEAT_MARK)] if marked else [])]
        self._send(letter.recipient, text=letter.text, reply_markup={"inline_keyboard": [marks]})

    def deliver_part(self, letter: Letter) -> None:
        self._send(letter.recipient, text=f"{letter.other_parts[0]} and more")

    def answer(self, letter: Letter) -> None:
        self._send(
            letter.sender,
            text="Sent",
            reply_parameters={"message_id": letter.sent[0].message_id},
            reply_markup={"inline_keyboard": [[_button(WITHDRAW + "x")]]},
        )

    def _send(self, person: Person, **parameters: object) -> None:
        request(BotApiCall(method="sendMessage", parameters={"chat_id": person.id, **parameters}))


@pytest.fixture
def bot(bot_at_sandbox: RunningSandbox) -> _Bot:
    assert bot_at_sandbox.base_url
    return _Bot()


@pytest.fixture
def letters(bot_at_sandbox: RunningSandbox) -> list[Letter]:
    sender, recipient = (bot_at_sandbox.people.person(name) for name in ("Alice", "Bob"))
    recipient.says("/start")
    return [
        Letter(sender=sender, recipient=recipient, text=text, sent=(sender.says(text),))
        for text in ("first", "second")
    ]


def _tally(letters: list[Letter]) -> Tally:
    return Book(letters=letters).tally()


def test_what_arrived_once_in_order_and_was_answered_is_clean(bot: _Bot, letters: list[Letter]) -> None:
    for letter in letters:
        bot.answer(letter)
        bot.deliver(letter)
    assert _tally(letters) == Tally(sent=2)


def test_what_did_not_arrive_is_lost_and_missing(bot: _Bot, letters: list[Letter]) -> None:
    for letter in letters:
        bot.answer(letter)
    bot.deliver(letters[0])
    assert _tally(letters) == Tally(sent=2, lost=1)
    assert Book(letters=letters).missing(letters[0].recipient)


@pytest.mark.parametrize(
    ("copies", "marked", "unmarked"),
    [([False, True], 1, 0), ([False, False], 0, 1), ([True, True, True], 3, 0), ([False, True, False], 1, 1)],
)
def test_a_second_copy_wants_a_mark(
    bot: _Bot, letters: list[Letter], copies: list[bool], marked: int, unmarked: int
) -> None:
    bot.answer(letters[0])
    for is_marked in copies:
        bot.deliver(letters[0], marked=is_marked)
    assert _tally(letters[:1]) == Tally(sent=1, marked=marked, unmarked=unmarked)


@pytest.mark.parametrize(("marked", "unmarked"), [(True, 0), (False, 1)])
def test_a_part_that_came_twice_wants_the_mark_of_the_last(
    bot: _Bot, letters: list[Letter], *, marked: bool, unmarked: int
) -> None:
    letter = replace(letters[0], other_parts=("the part before",))
    bot.answer(letter)
    for _ in range(2):
        bot.deliver_part(letter)
    assert Book(letters=[letter]).missing(letter.recipient)
    bot.deliver(letter, marked=marked)
    assert _tally([letter]) == Tally(sent=1, marked=int(marked), unmarked=unmarked)


def test_another_order_is_seen_in_deliveries_and_answers(bot: _Bot, letters: list[Letter]) -> None:
    for letter in reversed(letters):
        bot.deliver(letter)
        bot.answer(letter)
    assert _tally(letters) == Tally(sent=2, disordered=2)


def test_who_is_not_answered_is_counted(bot: _Bot, letters: list[Letter]) -> None:
    for letter in letters:
        bot.deliver(letter)
    bot.answer(letters[1])
    assert _tally(letters) == Tally(sent=2, unanswered=1)
