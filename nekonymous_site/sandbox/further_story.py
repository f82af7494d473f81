"""What comes after the first conversation in ``./neko demo``: every other thing that the product does."""

from collections.abc import Callable
from dataclasses import dataclass

from nekonymous_site.sandbox.people import NotSeen, Person, Sandbox, SeenMessage
from nekonymous_site.sandbox.story import STEP_SECONDS, Delivered, step

_DISPLAY_NAME = "سارا، ردیف اول"
_NICKNAME = "Last row"
_LONG_TEXT = "This is a long story. " * 220
_TAKEN_BACK = "I should not have said this."


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherStory:
    """Goes on where the first conversation ended; every method raises StoryStopped where it stops."""

    sandbox: Sandbox
    tell: Callable[[str], None]
    step_seconds: float = STEP_SECONDS

    def play(self, delivered: Delivered) -> Person:
        """Play all chapters; gives the third person, who came in for them."""
        owner, visitor, link = delivered.owner, delivered.visitor, delivered.link
        self._set_name(owner)
        self._give_nickname(owner, delivered.arrived)
        with step("a third person comes in"):
            third = self.sandbox.person("Nika", "en")
        self._send_everything(third, link)
        fetched = self._fetch(owner)
        self._refuse_what_cannot_go(owner, third, link)
        paused = self._pause(owner, visitor, link)
        self._block(owner, third, link, message=fetched, neutral=paused)
        return third

    def _set_name(self, owner: Person) -> None:
        with step("the owner sets a name"):
            owner.taps(self._settings(owner), "st:name")
            self._await(owner, "/cancel")
            owner.says(_DISPLAY_NAME)
            self._await(owner, _DISPLAY_NAME)
        self.tell(f"{owner.first_name} chose the name that people who open her link see.")

    def _give_nickname(self, owner: Person, message: SeenMessage) -> None:
        with step("the owner gives a nickname"):
            owner.taps(message, "n:")
            self._await(owner, "/cancel")
            owner.says(_NICKNAME)
            self._await(owner, _NICKNAME)
        self.tell(f"{owner.first_name} gave the stranger a nickname that only she sees.")

    def _send_everything(self, third: Person, link: str) -> None:
        with step("the third person sends an album"):
            self._open(third, link)
            third.sends_album([("photo", "From the window"), ("video", "")])
            self._await_accepted(third)
        with step("the third person sends a hidden photo"):
            self._open(third, link)
            third.sends("photo", caption="A surprise", spoiler=True)
            self._await_accepted(third)
        with step("the third person is asked about a file's name"):
            self._open(third, link)
            third.sends("document", extra={"file_name": "nika-cv.pdf"})
            third.taps(self._await(third, lambda seen: seen.has_button("y:")), "y:")
            self._await_accepted(third)
        with step("the third person pastes a long text"):
            self._open(third, link)
            third.pastes(_LONG_TEXT)
            self._await_accepted(third)
        with step("the third person takes a text back"):
            self._open(third, link)
            third.says(_TAKEN_BACK)
            tap = third.taps(self._await_accepted(third), "w:")
            third.awaits_toast(tap, seconds=self.step_seconds)
        self.tell(
            f"{third.first_name} sent an album, a hidden photo, a file, a long text, and took one back."
        )

    def _fetch(self, owner: Person) -> SeenMessage:
        """Everything arrives from one press, but for what was taken back; gives the named file."""
        with step("the owner fetches everything"):
            owner.says("/inbox")
            asked = owner.chat().revision
            file = self._await(owner, lambda seen: seen.kind == "document", after=asked)
            self._await(
                owner,
                lambda seen: seen.text.startswith("This is a long") and seen.has_button("r:"),
                after=asked,
            )
            if any(_TAKEN_BACK in seen.text for seen in owner.sees()):
                raise NotSeen("what was taken back has arrived; the chat is:\n" + owner.transcript())
        self.tell(f"{owner.first_name} fetched all of it with one press, but for what was taken back.")
        return file

    def _refuse_what_cannot_go(self, owner: Person, third: Person, link: str) -> None:
        with step("the owner opens her own link"):
            owner.opens(link)
            self._await(owner, lambda seen: not seen.has_button("k:"))
        with step("a contact card is refused"):
            self._open(third, link)
            third.sends("contact")
            self._await(third, lambda seen: not seen.has_button("w:"))
            third.says("/cancel")
            self._await(third, lambda _seen: True)
        self.tell("Nobody can write to themselves, and a contact card is refused with the reason.")

    def _pause(self, owner: Person, visitor: Person, link: str) -> str:
        """Gives the words of the refusal that tells no reason."""
        with step("the owner pauses the inbox"):
            settings = self._settings(owner)
            owner.awaits_toast(owner.taps_data(settings, "st:pause:1"), seconds=self.step_seconds)
            words = self._is_refused(visitor, link)
            owner.awaits_toast(owner.taps_data(settings, "st:pause:end"), seconds=self.step_seconds)
        self.tell(
            f"{owner.first_name} paused her inbox: {visitor.first_name} reads that it takes nothing now."
        )
        return words

    def _block(self, owner: Person, third: Person, link: str, *, message: SeenMessage, neutral: str) -> None:
        with step("the owner blocks somebody, who reads the very same words"):
            owner.awaits_toast(owner.taps(message, "b:"), seconds=self.step_seconds)
            words = self._is_refused(third, link)
            # Both speak English, so the words can be compared.
            if words != neutral:
                raise NotSeen("a block reads otherwise than a pause; the chat is:\n" + third.transcript())
        with step("the owner lifts the block in the list"):
            settings = self._settings(owner)
            owner.taps_data(settings, "st:blocks")
            listed = self._await(owner, lambda seen: seen.has_button("st:lift:"))
            owner.awaits_toast(owner.taps(listed, "st:lift:"), seconds=self.step_seconds)
            self._open(third, link)
            third.says("Thank you for hearing me again.")
            self._await_accepted(third)
        self.tell(
            f"{owner.first_name} blocked {third.first_name}, who read the same words, and lifted it again."
        )

    def _is_refused(self, person: Person, link: str) -> str:
        self._open(person, link)
        person.says("Are you there?")
        return self._await(person, lambda seen: not seen.has_button("k:")).text

    def _settings(self, owner: Person) -> SeenMessage:
        owner.says("/settings")
        return self._await(owner, lambda seen: seen.has_button("st:name"))

    def _open(self, person: Person, link: str) -> None:
        person.opens(link)
        self._await(person, lambda seen: seen.has_button("k:"))

    def _await_accepted(self, person: Person) -> SeenMessage:
        return self._await(person, lambda seen: seen.has_button("w:"))

    def _await(
        self, person: Person, expected: str | Callable[[SeenMessage], bool], *, after: int | None = None
    ) -> SeenMessage:
        return person.awaits(expected, seconds=self.step_seconds, after=after)
