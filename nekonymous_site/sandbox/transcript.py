"""A chat as lines of text, for people who read a terminal."""

from itertools import groupby

from nekonymous_site.sandbox.seen import SeenChat, SeenMessage, Toast

# Isolates whatever is written right to left from the signs around it.
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
# Nobody reads a pasted book in a terminal.
_LONGEST_LINE_CHARACTERS = 400


def write_transcript(chat: SeenChat, *, name: str) -> list[str]:
    """The chat's messages and answered taps in the order of their last change, as their owner sees them."""
    entries: list[SeenMessage | Toast] = sorted(
        [*chat.messages, *chat.toasts], key=lambda entry: entry.revision
    )
    lines: list[str] = []
    for entry in entries:
        if isinstance(entry, Toast):
            lines += _write_toast(entry)
        else:
            lines += _write_message(entry, name=name, content=_name_content(entry, chat=chat))
    return lines


def _name_content(message: SeenMessage, *, chat: SeenChat) -> str:
    """What a message holds besides words, with its place in its album: ``[photo 2 of 3, spoiler]``."""
    if message.kind == "text":
        return ""
    name = message.kind.replace("_", " ")
    if message.media_group_id is not None:
        album = [one.message_id for one in chat.messages if one.media_group_id == message.media_group_id]
        name += f" {album.index(message.message_id) + 1} of {len(album)}"
    return f"[{name}, spoiler]" if message.has_spoiler else f"[{name}]"


def _write_message(message: SeenMessage, *, name: str, content: str) -> list[str]:
    speaker = "bot" if message.from_bot else name
    reply = f" (to {message.reply_to_message_id})" if message.reply_to_message_id else ""
    first, *others = [_shorten(line) for line in message.text.splitlines()] or [""]
    said = " ".join(part for part in (content, _isolate(first)) if part)
    lines = [f"{message.message_id:>4} {speaker}{reply}: {said}"]
    lines += [f"     {_isolate(line)}" for line in others]
    return lines + _write_buttons(message)


def _write_buttons(message: SeenMessage) -> list[str]:
    """A line for each row under the message, and one for the keyboard that came with it."""
    lines = [
        "     " + " ".join(f"[{_isolate(button.text)}]" for button in row)
        for _number, row in groupby(message.buttons, key=lambda button: button.row)
    ]
    if message.reply_keyboard:
        lines.append("     keyboard: " + " ".join(f"[{_isolate(label)}]" for label in message.reply_keyboard))
    return lines


def _write_toast(toast: Toast) -> list[str]:
    if not toast.text:
        return []
    return [f"     ({_isolate(toast.text)})"]


def _shorten(line: str) -> str:
    left_out = len(line) - _LONGEST_LINE_CHARACTERS
    return line if left_out <= 0 else f"{line[:_LONGEST_LINE_CHARACTERS]}… ({left_out} characters more)"


def _isolate(text: str) -> str:
    return f"{_ISOLATE}{text}{_END_ISOLATE}" if text else ""
