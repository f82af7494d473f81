"""The made-up people, their chats with the bot, and what stands in them."""

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from nekonymous_site.sandbox.bot_profile import BotProfile
from nekonymous_site.sandbox.file_store import FileStore
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.pulse import Pulse

MESSAGES_KEPT_PER_CHAT = 500
TAPS_KEPT_PER_CHAT = 200
# Ids of today no longer fit into 32 bits; made-up ones never do, so that a too narrow column shows.
_SMALLEST_PERSON_ID = 2**33
_PERSON_ID_SPAN = 2**40


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """The one bot this stand-in serves."""

    token: str = field(repr=False)
    id: int
    first_name: str = "Nekonymous (sandbox)"
    username: str = "nekonymous_sandbox_bot"

    def as_user(self) -> JsonObject:
        """The bot as a User object."""
        return {"id": self.id, "is_bot": True, "first_name": self.first_name, "username": self.username}


@dataclass(slots=True, kw_only=True)
class Person:
    """Somebody made up who talks to the bot."""

    id: int
    first_name: str
    language_code: str | None = None
    username: str | None = None
    has_blocked_bot: bool = False
    # Their Telegram account is gone for good.
    has_left: bool = False
    # Whoever pays may forbid voice messages, and round videos with them.
    forbids_voice: bool = False

    def as_user(self) -> JsonObject:
        """The person as a User object."""
        optional = {"username": self.username, "language_code": self.language_code}
        return {"id": self.id, "is_bot": False, "first_name": self.first_name, **_given(optional)}

    def as_chat(self) -> JsonObject:
        """The person's private chat as a Chat object."""
        optional = {"username": self.username}
        return {"id": self.id, "first_name": self.first_name, **_given(optional), "type": "private"}


@dataclass(slots=True, kw_only=True)
class ChatMessage:
    """One message of a chat; ``body`` is its Bot API Message object."""

    body: JsonObject
    from_bot: bool
    revision: int
    silent: bool = False
    reply_keyboard: JsonObject | None = None
    # The bot's, and in a private chat the person's.
    reactions: list[JsonObject] = field(default_factory=list)
    person_reactions: list[JsonObject] = field(default_factory=list)

    @property
    def message_id(self) -> int:
        """Its number in the chat."""
        return int(self.body["message_id"])

    def as_quoted(self) -> JsonObject:
        """The message as it stands inside a reply to it: with its buttons, without what it replies to."""
        return {name: value for name, value in self.body.items() if name != "reply_to_message"}


@dataclass(slots=True, kw_only=True)
class Tap:
    """A press of a button, and the bot's answer to it once there is one."""

    callback_query_id: str
    person_id: int
    message_id: int
    callback_data: str
    tapped_at: float
    revision: int
    answer: JsonObject | None = None


@dataclass(slots=True, kw_only=True)
class Conversation:
    """A chat: its Chat object, its latest messages and taps. ``revision`` rises with every change in it."""

    chat: JsonObject
    next_message_id: int = 1
    revision: int = 0
    is_known_to_bot: bool = False
    # Whether it went by itself or was thrown out.
    bot_has_left: bool = False
    bot_was_kicked: bool = False
    # What stands in place of the letters, with the field ``keyboard``; None while the letters do.
    shown_keyboard: JsonObject | None = None
    messages: dict[int, ChatMessage] = field(default_factory=dict)
    taps: list[Tap] = field(default_factory=list)

    def next_revision(self) -> int:
        """Count one change."""
        self.revision += 1
        return self.revision


class World:
    """Everything that people and bot share. Belongs to one event loop; every change beats the pulse."""

    def __init__(self, bot: Bot, *, changed: Pulse) -> None:
        self._bot = bot
        self.changed = changed
        self.people: dict[int, Person] = {}
        self.conversations: dict[int, Conversation] = {}
        self.commands: dict[str, list[JsonObject]] = {}
        self.profile = BotProfile()
        self.files = FileStore()

    @property
    def bot(self) -> Bot:
        """The bot, under the name that it has given itself."""
        name = self.profile.get("name", language_code="")
        return replace(self._bot, first_name=name) if name else self._bot

    def add_person(self, *, first_name: str, language_code: str | None, username: str | None) -> Person:
        """Make a person up; the bot does not know them until they write."""
        person = Person(
            id=_SMALLEST_PERSON_ID + secrets.randbelow(_PERSON_ID_SPAN),
            first_name=first_name,
            language_code=language_code,
            username=username,
        )
        self.people[person.id] = person
        self.conversations[person.id] = Conversation(chat=person.as_chat())
        self.changed.beat()
        return person

    def add_group(self, *, title: str) -> Conversation:
        """Make a group up, with the bot in it."""
        chat: JsonObject = {"id": -(10**12) - secrets.randbelow(10**11), "title": title, "type": "supergroup"}
        self.conversations[chat["id"]] = Conversation(chat=chat, is_known_to_bot=True)
        self.changed.beat()
        return self.conversations[chat["id"]]

    def add_message(
        self, conversation: Conversation, *, sender: JsonObject, fields: JsonObject, silent: bool = False
    ) -> ChatMessage:
        """Append a message; the oldest one goes when the chat is full."""
        body = {
            "message_id": conversation.next_message_id,
            "from": sender,
            "chat": conversation.chat,
            "date": int(time.time()),
            **fields,
        }
        message = ChatMessage(
            body=body, from_bot=sender["is_bot"], revision=conversation.next_revision(), silent=silent
        )
        conversation.next_message_id += 1
        conversation.messages[message.message_id] = message
        while len(conversation.messages) > MESSAGES_KEPT_PER_CHAT:
            del conversation.messages[next(iter(conversation.messages))]
        self.changed.beat()
        return message

    def add_tap(self, conversation: Conversation, *, person_id: int, message_id: int, data: str) -> Tap:
        """Note a press of a button; the oldest tap goes when there are too many."""
        tap = Tap(
            callback_query_id=str(secrets.randbelow(2**62)),
            person_id=person_id,
            message_id=message_id,
            callback_data=data,
            tapped_at=time.time(),
            revision=conversation.next_revision(),
        )
        conversation.taps.append(tap)
        del conversation.taps[:-TAPS_KEPT_PER_CHAT]
        self.changed.beat()
        return tap

    def note_change(self, conversation: Conversation, changed: ChatMessage | Tap) -> None:
        """Count a change of a message or a tap and wake whoever waits for one."""
        changed.revision = conversation.next_revision()
        self.changed.beat()

    def remove_message(self, conversation: Conversation, message: ChatMessage) -> int:
        """Take a message away for both sides; returns the chat's revision after it."""
        del conversation.messages[message.message_id]
        conversation.next_revision()
        self.changed.beat()
        return conversation.revision

    def find_tap(self, callback_query_id: str) -> tuple[Conversation, Tap] | None:
        """Find a tap by the id the bot was given."""
        return next(
            (found for found in self._taps() if found[1].callback_query_id == callback_query_id), None
        )

    def _taps(self) -> Iterator[tuple[Conversation, Tap]]:
        for conversation in self.conversations.values():
            for tap in conversation.taps:
                yield conversation, tap


def _given(optional: dict[str, str | None]) -> JsonObject:
    return {name: value for name, value in optional.items() if value is not None}
