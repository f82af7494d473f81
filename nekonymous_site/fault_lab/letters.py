"""Who wrote what to whom in the lab, and what each of them saw of it: the outside view."""

import secrets
from dataclasses import dataclass, field
from itertools import pairwise

from nekonymous_site.bot.callback_data import INBOX, REPEAT_MARK, SENDER_MARK, WITHDRAW
from nekonymous_site.sandbox.people import Person, SeenMessage, Sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One message of one person to another, known by its last text; `sent` are the writings it took.

    Of a text that arrives in several parts `other_parts` are words of the parts before the last.
    """

    sender: Person
    recipient: Person
    text: str
    sent: tuple[Sent, ...]
    other_parts: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Tally:
    """What became of letters; everything but `sent` and `marked` should be nothing."""

    sent: int = 0
    lost: int = 0
    unanswered: int = 0
    marked: int = 0
    unmarked: int = 0
    disordered: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether every promise about letters was kept."""
        return not (self.lost or self.unanswered or self.unmarked or self.disordered)

    def add(self, other: "Tally") -> None:
        """Count another tally in."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(slots=True, kw_only=True)
class Book:
    """The letters of one scenario."""

    letters: list[Letter] = field(default_factory=list)

    def recipients(self) -> dict[int, Person]:
        """Everybody who is to get something, by id."""
        return {letter.recipient.id: letter.recipient for letter in self.letters}

    def to(self, recipient: Person) -> list[Letter]:
        """The letters to somebody, in the order of writing."""
        return [letter for letter in self.letters if letter.recipient.id == recipient.id]

    def missing(self, recipient: Person) -> bool:
        """Whether anything is not in this person's chat yet."""
        copies = _Copies(recipient)
        return not all(copies.is_whole(letter) for letter in self.to(recipient))

    def tally(self) -> Tally:
        """Look into all chats and judge."""
        result = Tally(sent=len(self.letters))
        for recipient in self.recipients().values():
            _judge_recipient(self.to(recipient), _Copies(recipient), result)
        for sender in {letter.sender.id: letter.sender for letter in self.letters}.values():
            _judge_sender([one for one in self.letters if one.sender.id == sender.id], sender, result)
        return result


class _Copies:
    """The delivered messages of one chat."""

    def __init__(self, recipient: Person) -> None:
        self._seen = recipient.sees()

    def of(self, text: str) -> list[SeenMessage]:
        """The copies of a letter by its last part, which carries the buttons."""
        return [
            one for one in self._seen if one.from_bot and text in one.text and one.has_button(SENDER_MARK)
        ]

    def count(self, words: str) -> int:
        """How often a part without buttons is there."""
        return sum(one.from_bot and words in one.text for one in self._seen)

    def is_whole(self, letter: Letter) -> bool:
        """Whether every part of a letter is there."""
        return bool(self.of(letter.text)) and all(self.count(words) for words in letter.other_parts)


def _judge_recipient(letters: list[Letter], copies: _Copies, result: Tally) -> None:
    first_places: dict[int, list[int]] = {}
    for letter in letters:
        found = copies.of(letter.text)
        if not copies.is_whole(letter):
            result.lost += 1
            continue
        marked = sum(one.has_button(REPEAT_MARK) for one in found)
        result.marked += marked
        result.unmarked += max(len(found) - marked - 1, 0)
        if not marked:
            # The mark stands with the buttons, under the last part, for all of them.
            result.unmarked += sum(copies.count(words) - 1 for words in letter.other_parts)
        first_places.setdefault(letter.sender.id, []).append(found[0].message_id)
    result.disordered += sum(_count_steps_back(places) for places in first_places.values())


def _judge_sender(letters: list[Letter], sender: Person, result: Tally) -> None:
    answers: dict[int, int] = {}
    unaddressed = 0
    for message in sender.sees():
        if message.from_bot and message.has_button(WITHDRAW) and message.reply_to_message_id is not None:
            answers.setdefault(message.reply_to_message_id, message.message_id)  # the first of them
        unaddressed += message.from_bot and message.has_button(WITHDRAW) and not message.reply_to_message_id
    places = [place for letter in letters if (place := _find_answer(letter, answers)) is not None]
    # What the lab posted itself stands in no chat, so its answers can reply to nothing.
    posted = sum(not letter.sent for letter in letters)
    result.unanswered += len(letters) - posted - len(places) + max(posted - unaddressed, 0)
    result.disordered += _count_steps_back(places)


def _find_answer(letter: Letter, answers: dict[int, int]) -> int | None:
    """The first answer to any of the writings that a letter took."""
    found = [answers[one.message_id] for one in letter.sent if one.message_id in answers]
    return min(found, default=None)


def _count_steps_back(places: list[int]) -> int:
    return sum(later < earlier for earlier, later in pairwise(places))


def is_notice(message: SeenMessage) -> bool:
    """Whether the bot says here that something waits."""
    return message.from_bot and message.has_button(INBOX)


def make_text(beginning: str) -> str:
    """A text that no other letter and no log holds by chance."""
    return f"{beginning} {secrets.token_hex(8)}"
