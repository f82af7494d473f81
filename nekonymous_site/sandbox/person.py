"""One made-up person, and what they do in their chat with the bot."""

from collections.abc import Sequence

from nekonymous_site.sandbox.chat_waiting import ChatOnlooker, Sent
from nekonymous_site.sandbox.control_client import ControlClient
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.message_checks import MAX_TEXT_UNITS
from nekonymous_site.sandbox.seen import ButtonMissing, SeenMessage, read_start_slug
from nekonymous_site.sandbox.text_units import split_pasted_text


class Person(ChatOnlooker):
    """Somebody made up. What they do is remembered, so that ``awaits`` means what comes after it."""

    def __init__(self, control: ControlClient, view: JsonObject) -> None:
        super().__init__(control, f"/sandbox/people/{view['id']}", name=view["first_name"])
        self.id: int = view["id"]
        self.language_code: str | None = view["language_code"]

    def __repr__(self) -> str:
        return f"Person({self.first_name!r}, id={self.id})"

    def says(
        self,
        text: str,
        *,
        reply_to: SeenMessage | Sent | int | None = None,
        entities: list[JsonObject] | None = None,
        extra_fields: JsonObject | None = None,
    ) -> Sent:
        """Write a text; ``reply_to`` is Telegram's reply gesture, ``extra_fields`` go over the message."""
        body = {"text": text, "entities": entities or []}
        return self._write(body, reply_to=reply_to, extra_fields=extra_fields)

    def pastes(self, text: str) -> tuple[Sent, ...]:
        """Write a text of any length, which goes out in as many messages as Telegram's apps make of it."""
        return tuple(self.says(part) for part in split_pasted_text(text, most_units=MAX_TEXT_UNITS))

    def sends(
        self,
        kind: str,
        *,
        caption: str = "",
        caption_entities: list[JsonObject] | None = None,
        spoiler: bool = False,
        caption_above: bool = False,
        reply_to: SeenMessage | Sent | int | None = None,
        extra: JsonObject | None = None,
        extra_fields: JsonObject | None = None,
    ) -> Sent:
        """Send a made-up photo, sticker, contact … (the kinds of ``sample_media.SAMPLE_KINDS``).

        ``extra`` goes over the content, as ``{"file_name": "cv.pdf"}``; None takes a field away.
        ``extra_fields`` go over the message, and make a message of a kind that the sandbox does not know.
        """
        body = {
            kind: True,
            "caption": caption,
            "caption_entities": caption_entities or [],
            "spoiler": spoiler,
            "caption_above": caption_above,
            "extra": extra or {},
        }
        return self._write(body, reply_to=reply_to, extra_fields=extra_fields)

    def sends_album(
        self,
        items: Sequence[tuple[str, str]],
        *,
        spoiler: bool = False,
        caption_above: bool = False,
        reply_to: SeenMessage | Sent | int | None = None,
    ) -> tuple[Sent, ...]:
        """Send an album of ``(kind, caption)``: 2 to 10 photos and videos, or documents, or audios."""
        body: JsonObject = {
            "items": [
                {kind: True, "caption": caption, "spoiler": spoiler, "caption_above": caption_above}
                for kind, caption in items
            ]
        }
        answer = self._control.post(f"{self._path}/albums", body | _reply_field(reply_to))
        return tuple(self._note_act(view) for view in answer["messages"])

    def forwards(self, origin: str, content: JsonObject) -> Sent:
        """Forward something that came from one of ``forward_origins.ORIGIN_KINDS``.

        ``content`` is as the control API takes it: ``{"text": "x"}``, ``{"photo": True, "via_bot": True}``.
        """
        return self._act("/messages", content | {"forwarded": origin})

    def forwards_message(self, message: SeenMessage | Sent | int) -> Sent:
        """Forward a message of this chat into it. Refused for protected content, as apps refuse it."""
        return self._act("/messages", {"forward_message_id": _message_id_of(message)})

    def opens(self, link: str) -> Sent:
        """Follow a ``https://t.me/bot?start=slug`` link. Raises ValueError for any other."""
        return self.says(f"/start {read_start_slug(link)}")

    def taps(self, message: SeenMessage, label_or_prefix: str) -> Sent:
        """Press a button, found as SeenMessage.button finds it. Raises ButtonMissing."""
        button = message.button(label_or_prefix)
        if button.callback_data is None:
            reason = f"{button.text!r} is no button for the bot"
            raise ValueError(reason)
        return self.taps_data(message, button.callback_data)

    def taps_data(self, message: SeenMessage | int, callback_data: str) -> Sent:
        """Send a tap with any data, as a modified client or an old keyboard can."""
        body = {"message_id": _message_id_of(message), "callback_data": callback_data}
        return self._act("/taps", body)

    def presses(self, label: str) -> Sent:
        """Write the label of a button of the keyboard that the chat shows. Raises ButtonMissing."""
        shown = self.keyboard()
        if label not in shown:
            reason = f"the chat shows no keyboard button {label!r}, only {list(shown)}"
            raise ButtonMissing(reason)
        return self.says(label)

    def edits(
        self,
        message: SeenMessage | Sent | int,
        text: str | None = None,
        *,
        caption: str | None = None,
        entities: list[JsonObject] | None = None,
    ) -> Sent:
        """Edit an own message: its text, or a medium's caption."""
        content = {"text": text} if caption is None else {"caption": caption}
        body = {"message_id": _message_id_of(message), **content, "entities": entities or []}
        return self._act("/edits", body)

    def reacts(
        self, message: SeenMessage | Sent | int, emoji: str | None, *, phantom_edit: bool = False
    ) -> Sent:
        """React to a message; None takes the reaction away.

        With a phantom edit the bot is told as well that the message was edited, which it was not.
        """
        body = {"message_id": _message_id_of(message), "emoji": emoji, "phantom_edit": phantom_edit}
        return self._act("/reactions", body)

    def deletes(self, message: SeenMessage | Sent | int) -> Sent:
        """Delete a message for both sides; the bot is told nothing."""
        return self._act("/deletions", {"message_id": _message_id_of(message)})

    def leaves(self) -> Sent:
        """Delete the Telegram account; nothing can be done after it."""
        return self._act("/leave", {})

    def changes(self, **changes: str | bool | None) -> None:
        """Change ``language_code``, ``first_name``, ``username``, of which all but the name may be None, or
        ``forbids_voice``: then no voice message and no round video reaches them.
        """
        view = self._control.patch(self._path, changes)
        self.first_name, self.language_code = view["first_name"], view["language_code"]

    def blocks_bot(self) -> Sent:
        """Block the bot; repeatable."""
        return self._act("/block", {})

    def unblocks_bot(self) -> Sent:
        """Unblock the bot; repeatable."""
        return self._act("/unblock", {})

    def _write(
        self, body: JsonObject, *, reply_to: SeenMessage | Sent | int | None, extra_fields: JsonObject | None
    ) -> Sent:
        extended = body | {"extra_fields": extra_fields or {}}
        return self._act("/messages", extended | _reply_field(reply_to))

    def _act(self, path: str, body: JsonObject) -> Sent:
        return self._note_act(self._control.post(f"{self._path}{path}", body))

    def _note_act(self, view: JsonObject) -> Sent:
        sent = Sent(**view)
        self._last_act_revision = sent.revision
        return sent


def _reply_field(message: SeenMessage | Sent | int | None) -> JsonObject:
    return {} if message is None else {"reply_to_message_id": _message_id_of(message)}


def _message_id_of(message: SeenMessage | Sent | int) -> int:
    message_id = message if isinstance(message, int) else message.message_id
    if message_id is None:
        raise ValueError("this act made no message")
    return message_id
