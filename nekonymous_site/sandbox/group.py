"""A made-up group with the bot in it."""

from nekonymous_site.sandbox.chat_waiting import Sent
from nekonymous_site.sandbox.control_client import ControlClient
from nekonymous_site.sandbox.person import Person
from nekonymous_site.sandbox.seen import SeenMessage, read_chat


class Group:
    """A made-up group with the bot in it."""

    def __init__(self, control: ControlClient, chat_id: int) -> None:
        self._control = control
        self._path = f"/sandbox/groups/{chat_id}"
        self.id = chat_id

    def hears(self, person: Person, text: str) -> Sent:
        """Let a person write into the group."""
        body = {"person_id": person.id, "text": text}
        return Sent(**self._control.post(f"{self._path}/messages", body))

    def removes_bot(self, person: Person) -> Sent:
        """Let a person throw the bot out; repeatable."""
        return Sent(**self._control.post(f"{self._path}/remove_bot", {"person_id": person.id}))

    def adds_bot(self, person: Person) -> Sent:
        """Let a person take the bot in again; repeatable."""
        return Sent(**self._control.post(f"{self._path}/add_bot", {"person_id": person.id}))

    def sees(self) -> tuple[SeenMessage, ...]:
        """All messages of the group in order."""
        return read_chat(self._control.get(f"{self._path}/chat")).messages

    def has_bot(self) -> bool:
        """Whether the bot is still in there."""
        return not self._control.get(f"{self._path}/chat")["bot_has_left"]
