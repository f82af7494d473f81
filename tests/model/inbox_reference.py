"""What has happened to every message, in plain words: random histories are held against it."""

from dataclasses import dataclass, field


@dataclass(eq=False, kw_only=True)
class Message:
    """One text that somebody wrote, and all that has happened to it."""

    text: str
    sender: int
    message_id: int  # in the chat of its sender
    written_at: int
    answers: "Message | None" = None
    recipient: int | None = None  # of a first message: whose link was open when it was taken
    is_taken: bool = False
    is_accepted: bool = False
    ticket_hash: bytes | None = None
    dedupe_tag: bytes | None = None
    # What may end it without a delivery:
    is_withdrawn: bool = False
    is_blocked: bool = False
    is_expired: bool = False
    # What a send of it came to:
    is_confirmed: bool = False
    nobody_knew: int = 0
    is_given_back: bool = False
    is_out_of_turn: bool = False  # a revived worker sent it when others had gone on
    # What became of the answer to its sender:
    answer_unknown: int = 0
    answer_out_of_turn: bool = False

    def may_be_gone(self) -> bool:
        """Whether it may be in no inbox any more."""
        return self.is_confirmed or self.is_withdrawn or self.is_blocked or self.is_expired


@dataclass
class Reference:
    """A few people (0, 1, 2 …), their messages and whom they have blocked."""

    messages: list[Message] = field(default_factory=list)
    drafts: dict[int, tuple[int, int]] = field(default_factory=dict)  # who writes to whom, and since when
    blocks: set[tuple[int, int]] = field(default_factory=set)  # who has blocked whom
    refused: int = 0
    withdrawn: int = 0

    def accepted(self) -> list[Message]:
        """All accepted messages in the order in which they were taken."""
        return [message for message in self.messages if message.is_accepted]

    def find(self, text: object) -> Message | None:
        """Find a message by its text, which is its own."""
        return next((message for message in self.messages if message.text == text), None)

    def find_written(self, sender: int, *, message_id: int) -> Message | None:
        """Find a message by where it stands in its sender's chat."""
        place = (sender, message_id)
        return next((one for one in self.messages if (one.sender, one.message_id) == place), None)

    def destination(self, message: Message) -> int | None:
        """Say to whom a message goes that is being taken now; None when nobody can tell."""
        if message.answers is None:
            owner, opened_at = self.drafts.get(message.sender, (None, 0))
            return owner if message.written_at >= opened_at else None
        return None if message.answers.is_expired else message.answers.sender

    def note_taken(self, message: Message, *, is_accepted: bool, recipient: int | None) -> None:
        """Write down what came of taking a message; it moves behind all that were taken before it."""
        message.is_taken, message.is_accepted, message.recipient = True, is_accepted, recipient
        self.messages.remove(message)
        self.messages.append(message)
        if message.answers is None and recipient is not None:
            del self.drafts[message.sender]
        if not is_accepted and recipient is not None:
            self.refused += 1

    def note_blocked(self, owner: int, sender: int) -> None:
        """Nothing of this sender that still waits has to arrive any more."""
        self.blocks.add((owner, sender))
        for message in self.accepted():
            if (message.recipient, message.sender) == (owner, sender) and not message.is_confirmed:
                message.is_blocked = True
