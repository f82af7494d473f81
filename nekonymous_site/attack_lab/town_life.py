"""What made-up people do in the sandbox, round by round; the product answers with its own steps."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Final

from django.db import connection

from nekonymous_site.attack_lab.judge import Judge, find_accounts
from nekonymous_site.attack_lab.population import Habits, draw_habits, draw_text
from nekonymous_site.attack_lab.product_steps import ProductSteps
from nekonymous_site.attack_lab.thiefs_view import AccountKey
from nekonymous_site.bot import callback_data
from nekonymous_site.sandbox.people import Person, Sandbox

MESSAGES_A_ROUND: Final = (1, 7)
REPLIES: Final = 1 / 3
BURSTS: Final = 0.4
FAVOURITES_FIRST: Final = 0.7
TAKEN_BACK: Final = 0.02
BY_BUTTON: Final = 0.5
JOINING_AT_ONCE: Final = 10
LEFT_OPEN: Final = 0.1  # of the people: a draft, or a question about the name of a file
FAILING: Final = 0.15  # of the chats
MOST_FAILING: Final = 40  # the sandbox keeps 100 faults
FAILING_CALLS: Final = 100_000
PARKED_SECONDS: Final = 3600


@dataclass(kw_only=True)
class Inhabitant:
    """Somebody with their habits, and what the laboratory remembers of their chat."""

    person: Person
    account: AccountKey
    slug: str
    habits: Habits
    may_have_mail: bool = False
    seen_messages: set[int] = field(default_factory=set)
    answerable: list[tuple[int, str]] = field(default_factory=list)  # message and button
    answering: str | None = None  # the capability whose reply button they have pressed


class TownLife:
    """A population that acts. Everything it does goes through the sandbox."""

    def __init__(self, sandbox: Sandbox, *, steps: ProductSteps, judge: Judge, rng: Random) -> None:
        self._sandbox = sandbox
        self._steps = steps
        self._judge = judge
        self._rng = rng
        self._burst: tuple[Inhabitant, Inhabitant] | None = None
        self._by_account: dict[AccountKey, Inhabitant] = {}
        self._reading: list[Inhabitant] = []
        self.inhabitants: list[Inhabitant] = []

    def settle_in(self, people: int) -> None:
        """Let everybody start the bot, a few at a time, and some pause their inbox."""
        habits = draw_habits(people, rng=self._rng)
        persons = []
        for number in range(people):
            persons.append(self._sandbox.person(f"Person {number}", self._rng.choice(("fa", "en"))))
            persons[-1].says("/start")
            if number % JOINING_AT_ONCE == JOINING_AT_ONCE - 1 or number == people - 1:
                self._steps.take_updates()
                self._steps.pump()
        accounts, slugs = find_accounts([one.id for one in persons]), _find_slugs()
        self.inhabitants = [
            Inhabitant(
                person=one, account=accounts[one.id], slug=slugs[accounts[one.id]], habits=habits[number]
            )
            for number, one in enumerate(persons)
        ]
        self._by_account = {one.account: one for one in self.inhabitants}
        for one in self.inhabitants:
            if one.habits.pauses:
                one.person.taps_data(one.person.sees()[-1], f"{callback_data.SETTINGS}pause:24")

    def act(self, messages: int) -> None:
        """Let people do what they do in about a second: write, answer, take back, ask for their messages."""
        acts: list[Callable[[], None]] = [
            partial(self._finish_answer, one) for one in self.inhabitants if one.answering is not None
        ]
        readers = [one for one in self.inhabitants if one.may_have_mail and self._feels_like_reading(one)]
        acts += [partial(self._ask_for_messages, one) for one in readers]
        acts += [self._write] * messages
        acts += [self._take_back] * sum(self._rng.random() < TAKEN_BACK for _ in range(messages))
        self._rng.shuffle(acts)
        for act in acts:
            act()

    def read_chats(self) -> None:
        """Let whoever asked for their messages read what has come."""
        for one in self._reading:
            for message in one.person.sees():
                button = message.find_button(callback_data.REPLY)
                is_delivered = button and message.has_button(callback_data.SENDER_MARK)
                if button and is_delivered and message.message_id not in one.seen_messages:
                    one.seen_messages.add(message.message_id)
                    one.answerable.append((message.message_id, button.callback_data or ""))
        self._reading.clear()

    def break_chats(self) -> None:
        """Let calls for some chats fail from now on: with an error of the Bot API, or with a long wait."""
        failing = min(round(len(self.inhabitants) * FAILING), MOST_FAILING)
        for number, one in enumerate(self._rng.sample(self.inhabitants, failing)):
            kind = "server_error_json" if number % 2 else "rate_limited"
            self._sandbox.inject_fault(
                kind, chat_id=one.person.id, count=FAILING_CALLS, retry_after_seconds=PARKED_SECONDS
            )

    def leave_things_open(self) -> None:
        """Let some begin a message, or hand in a file and not say whether its name may go along."""
        for one in self._rng.sample(self.inhabitants, round(len(self.inhabitants) * LEFT_OPEN)):
            if one.answering is None:
                one.person.says(f"/start {self._choose_recipient(one).slug}")
                if self._rng.random() < 1 / 3:
                    one.person.sends("document", caption=draw_text(self._rng)[:1000])

    def _feels_like_reading(self, one: Inhabitant) -> bool:
        return self._rng.random() < one.habits.reading.value

    def _ask_for_messages(self, one: Inhabitant) -> None:
        one.person.says("/inbox")
        one.may_have_mail = False
        self._reading.append(one)

    def _write(self) -> None:
        answering = [one for one in self.inhabitants if one.answerable and one.answering is None]
        if answering and self._rng.random() < REPLIES:
            self._answer(self._rng.choices(answering, weights=[one.habits.activity for one in answering])[0])
        else:
            self._write_first()

    def _write_first(self) -> None:
        if self._burst is None or self._rng.random() >= BURSTS:
            sender = self._rng.choices(
                self.inhabitants, weights=[one.habits.activity for one in self.inhabitants]
            )[0]
            self._burst = sender, self._choose_recipient(sender)
        sender, recipient = self._burst
        if sender.answering is not None:
            return  # their next message is that answer
        sender.person.says(f"/start {recipient.slug}")
        sender.person.says(draw_text(self._rng))
        self._judge.expect(sender.account, recipient=recipient.account)
        recipient.may_have_mail = True

    def _choose_recipient(self, sender: Inhabitant) -> Inhabitant:
        favourites = sender.habits.favourites
        if favourites and self._rng.random() < FAVOURITES_FIRST:
            return self.inhabitants[self._rng.choice(favourites)]
        others = [one for one in self.inhabitants if one is not sender]
        return self._rng.choices(others, weights=[one.habits.popularity for one in others])[0]

    def _answer(self, one: Inhabitant) -> None:
        message_id, button = one.answerable.pop(self._rng.randrange(len(one.answerable)))
        capability = button.removeprefix(callback_data.REPLY)
        if self._rng.random() < BY_BUTTON:
            one.person.taps_data(message_id, button)
            one.answering = capability
        else:
            one.person.says(draw_text(self._rng), reply_to=message_id)
            self._expect_answer(one, capability)

    def _finish_answer(self, one: Inhabitant) -> None:
        capability, one.answering = one.answering, None
        if capability is not None:
            one.person.says(draw_text(self._rng))
            self._expect_answer(one, capability)

    def _expect_answer(self, one: Inhabitant, capability: str) -> None:
        answered = self._judge.expect_answer(one.account, capability=capability)
        self._by_account[answered].may_have_mail = True

    def _take_back(self) -> None:
        if self._burst is not None:
            person = self._burst[0].person
            tokens = [
                (message, button.callback_data)
                for message in person.sees()
                if (button := message.find_button(callback_data.WITHDRAW))
            ]
            if tokens:
                message, token = tokens[-1]
                person.taps_data(message, token or "")


def _find_slugs() -> dict[AccountKey, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT account_id, slug FROM accounts.public_link")
        return {AccountKey(bytes(account)): slug for account, slug in cursor.fetchall()}
