"""A town to tell stories in: made-up people at a real sandbox, and the bot's own steps taken one by one.

Updates are fetched from the sandbox and go through the real intake; notices, drains and sends are made by the
real workflows on the real database. Nothing runs by itself, so a story decides what happens when.
"""

import json
from dataclasses import dataclass, field

from django.db import connection

from nekonymous_site.bot.gathering import end_ready_gatherings
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.bot.telegram_updates import fetch_updates, identify_bot
from nekonymous_site.bot.update_intake import IntakeAnswer, take_update
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.sandbox.people import Person, Sandbox, SeenMessage
from nekonymous_site.workflows.drain_inbox import drain_one_inbox
from nekonymous_site.workflows.make_notices import make_notices
from outbox import telegram_client
from outbox.telegram_client import BotApiCall

MOST_ROUNDS = 100


@dataclass
class Town:
    """The sandbox with its people, and the bot's steps."""

    sandbox: Sandbox
    answers: list[IntakeAnswer] = field(default_factory=list)
    _offset: int | None = None

    def person(self, name: str, language: str = "en") -> Person:
        return self.sandbox.person(name, language)

    def owner(self, name: str = "Bob") -> tuple[Person, str]:
        """Somebody who has started the bot, and the link that they share."""
        person = self.person(name)
        person.says("/start")
        self.settle()
        link = person.sees()[-1].find_start_link()
        assert link is not None, person.sees()
        return person, link

    def take_updates(self) -> list[IntakeAnswer]:
        """Take what people have done since the last time, in order."""
        updates = fetch_updates(offset=self._offset, wait_seconds=0)
        taken = []
        for update in updates:
            answer = take_update(json.dumps(update).encode())
            taken.append(answer)
            if answer.status != 200:
                break
            if answer.body and "method" in answer.body:
                parameters = {name: value for name, value in answer.body.items() if name != "method"}
                telegram_client.send(BotApiCall(method="answerCallbackQuery", parameters=parameters))
            self._offset = update["update_id"] + 1
        self.answers.extend(taken)
        return taken

    def notify(self) -> int:
        with durable_transaction() as pipeline:
            return make_notices(pipeline)

    def drain(self) -> bool:
        with durable_transaction() as pipeline:
            return drain_one_inbox(pipeline)

    def pump(self) -> int:
        """Send all that is due, with paces and waits of the lanes put behind."""
        handled = 0
        for _ in range(MOST_ROUNDS):
            hurry_lanes()
            step = pump_due_lanes().handled
            handled += step
            if not step:
                return handled
        raise AssertionError("the outbox does not come to rest")

    def end_gatherings(self) -> int:
        """End what gathers, with the moments that more is waited for put behind."""
        with connection.cursor() as cursor:
            cursor.execute(
                """
                UPDATE accounts.composition SET ready_at = now() - interval '1 second'
                WHERE ready_at IS NOT NULL
                """
            )
        return end_ready_gatherings().ended

    def settle(self, *, notices: bool = True) -> None:
        """Let everything happen that is to happen."""
        for _ in range(MOST_ROUNDS):
            busy = bool(self.take_updates())
            busy |= bool(self.end_gatherings())
            busy |= bool(notices and self.notify())
            while self.drain():
                busy = True
            busy |= bool(self.pump())
            if not busy:
                return
        raise AssertionError("the town does not come to rest")

    def writes(self, sender: Person, link: str, text: str) -> None:
        """Follow a link and write one message."""
        sender.opens(link)
        sender.says(text)

    def delivered(self, recipient: Person) -> list[SeenMessage]:
        """The delivered messages in somebody's chat: those whose buttons say that they are not the bot's."""
        return [message for message in recipient.sees() if message.has_button("i:")]


def identify() -> None:
    """Tell the database which bot it serves."""
    identify_bot()


def hurry_lanes() -> None:
    """Put paces, parks and waits behind, as if the time had passed. Leases stay."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE outbox.intent SET not_before = NULL WHERE not_before IS NOT NULL")
        cursor.execute("UPDATE outbox.send_pace SET parked_until = NULL, paced_until = NULL")
        cursor.execute(
            """
            UPDATE outbox.lane SET parked_until = NULL, talk_paced_until = NULL, post_paced_until = NULL,
                due_at = CASE WHEN EXISTS (
                    SELECT FROM outbox.intent WHERE intent.lane_tag = lane.lane_tag
                        AND state IN ('pending', 'sending', 'unknown_after_send')) THEN now() END
            WHERE lease_id IS NULL
            """
        )


def count(table: str, where: str = "true") -> int:
    """Count rows of a table, named with its plane."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table} WHERE {where}")  # noqa: S608 - written in tests
        (number,) = cursor.fetchone()
    return int(number)
