"""Three people, the real bot and the reference, side by side; one history after the other on one database."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import connection
from inbox_reference import Message, Reference
from opened_rows import open_unread_rows
from stored_rows import read_value
from town import Town
from watched_line import WatchedLine

from nekonymous_site.bot.telegram_updates import fetch_updates
from nekonymous_site.bot.update_intake import take_update
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import ActorHash, TelegramUserId
from nekonymous_site.sandbox.people import Person, Sent

PEOPLE: Final = 3
HISTORIES_OF_THE_SAME_PEOPLE: Final = 10  # then their chats have become long to read

FAULTS: Final = (
    "rate_limited",
    "server_error_json",
    "server_error_html",
    "unauthorized",
    "forbidden",
    "chat_not_found",
    "error_without_details",
    "reset_before",
    "reset_after",
    "ok_html",
    "ok_without_result",
    "unknown_union_in_answer",
)

_FORGET_HISTORY: Final = """
    DELETE FROM tickets.ticket; DELETE FROM accounts.unread; DELETE FROM accounts.drain_request;
    DELETE FROM accounts.block; DELETE FROM accounts.draft; DELETE FROM outbox.intent;
    DELETE FROM outbox.lane; DELETE FROM outbox.send_pace; DELETE FROM outbox.update_receipt;
    DELETE FROM outbox.parked_update; DELETE FROM outbox.update_failure; DELETE FROM stats.event;
    DELETE FROM stats.daily_count; UPDATE accounts.account SET reachable = true WHERE NOT reachable
"""


@dataclass(frozen=True, kw_only=True)
class PendingUpdate:
    """An update that the bot has not been given yet, and what it means to the reference."""

    raw: dict[str, Any] = field(repr=False)
    take: Callable[[bytes], None]


@dataclass
class World:
    """The town with its three people. `begin` forgets the last history."""

    town: Town
    line: WatchedLine
    people: list[Person] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    actors: list[ActorHash] = field(default_factory=list)
    reference: Reference = field(default_factory=Reference)
    waiting: list[PendingUpdate] = field(default_factory=list)
    taken: list[bytes] = field(default_factory=list)
    seen_until: list[int] = field(default_factory=list)  # the last message id of earlier histories
    histories: int = 0
    steps: int = 0
    texts: int = 0
    clock: int = field(default_factory=lambda: int(time.time()))

    def begin(self) -> None:
        """Begin a history with empty inboxes and nothing on its way."""
        self.town.sandbox.clear_faults()
        while self.fetch():
            pass
        with connection.cursor() as cursor:
            cursor.execute(_FORGET_HISTORY)
        if self.histories % HISTORIES_OF_THE_SAME_PEOPLE == 0:
            self._make_people_up()
        self.histories += 1
        self.reference, self.waiting, self.taken = Reference(), [], []
        self.line.take_calls()
        self.seen_until = [max((m.message_id for m in person.sees()), default=0) for person in self.people]

    def _make_people_up(self) -> None:
        owners = [self.town.owner(f"P{number}") for number in range(PEOPLE)]
        self.people = [person for person, _ in owners]
        self.links = [link for _, link in owners]
        self.actors = [blind_tags.actor_hash(TelegramUserId(person.id)) for person in self.people]
        with connection.cursor() as cursor:
            cursor.execute(_FORGET_HISTORY)

    def fetch(self) -> list[dict[str, Any]]:
        """Fetch what people have done; what was fetched before is confirmed by it."""
        updates = fetch_updates(offset=self.town._offset, wait_seconds=0)
        if updates:
            self.town._offset = updates[-1]["update_id"] + 1
        return updates

    def note_act(self, sent: Sent, take: Callable[[bytes], None]) -> None:
        """Let what somebody has just done wait to be taken; `take` also tells the reference."""
        for update in self.fetch():
            self.clock += 1
            if "message" in update:
                # A second for each act: messages of one second count as written in any order.
                update["message"]["date"] = self.clock
            is_this = update["update_id"] == sent.update_id
            self.waiting.append(PendingUpdate(raw=update, take=take if is_this else self.take_plainly))

    def take_plainly(self, raw: bytes) -> None:
        """Give the bot an update that must be done with at once."""
        answer = take_update(raw)
        assert answer.status == 200, answer
        assert count_failures() == 0, "an update has failed"

    def take_waiting(self, index: int) -> None:
        """Give the bot one of the updates that wait."""
        update = self.waiting.pop(index)
        raw = json.dumps(update.raw).encode()
        update.take(raw)
        self.taken.append(raw)

    def take_again(self, place: int) -> None:
        """Give the bot one of the updates again that it has had already."""
        if self.taken:
            self.take_plainly(self.taken[-1 - place % len(self.taken)])
            assert self.find_new_ticket() is None, "a redelivered update made a second ticket"

    def take_last(self, times: int) -> None:
        """Give the bot the update that has come in last, so many times."""
        if times:
            self.take_waiting(-1)
        for _ in range(times - 1):
            self.take_again(0)

    def break_calls(self, kind: str, *, person: int | None, count: int, after: int = 0) -> None:
        """Let the next messages to somebody, or to anybody, meet a fault."""
        chat_id = None if person is None else self.people[person].id
        self.town.sandbox.inject_fault(kind, method="sendMessage", chat_id=chat_id, count=count, after=after)

    def new_text(self) -> str:
        self.texts += 1
        return f"text {self.texts}"

    def chat_of(self, number: int) -> list[Any]:
        """What this history has brought into somebody's chat, own messages too."""
        return [m for m in self.people[number].sees() if m.message_id > self.seen_until[number]]

    def number_of(self, chat_id: int) -> int:
        return next(number for number, person in enumerate(self.people) if person.id == chat_id)

    def is_reachable(self, number: int) -> bool:
        return bool(
            read_value("SELECT reachable FROM accounts.account WHERE actor_hash = %s", [self.actors[number]])
        )

    def find_new_ticket(self) -> tuple[bytes, bytes] | None:
        """Find the unread row that no message has yet: its tag, and the ticket that its capability names."""
        known = {message.dedupe_tag for message in self.reference.messages}
        new = [(tag, row) for tag, row in open_unread_rows().items() if tag not in known]
        assert len(new) <= 1, "one update made two tickets"
        return next(((tag, blind_tags.ticket_hash(row.lookup_nonce)) for tag, row in new), None)

    def messages_to(self, number: int) -> list[Message]:
        return [message for message in self.reference.accepted() if message.recipient == number]


def count_failures() -> int:
    failures = read_value("SELECT count(*) FROM outbox.update_failure")
    assert isinstance(failures, int)
    return failures
