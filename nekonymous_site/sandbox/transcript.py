"""A chat as lines of text, for people who read a terminal."""

from nekonymous_site.sandbox.seen import SeenChat, SeenMessage, Toast

# Isolates whatever is written right to left from the signs around it.
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"


def write_transcript(chat: SeenChat, *, name: str) -> list[str]:
    """The chat's messages and answered taps in the order of their last change, as their owner sees them."""
    entries: list[SeenMessage | Toast] = sorted(
        [*chat.messages, *chat.toasts], key=lambda entry: entry.revision
    )
    lines: list[str] = []
    for entry in entries:
        lines += _write_toast(entry) if isinstance(entry, Toast) else _write_message(entry, name=name)
    return lines


def _write_message(message: SeenMessage, *, name: str) -> list[str]:
    speaker = "bot" if message.from_bot else name
    reply = f" (to {message.reply_to_message_id})" if message.reply_to_message_id else ""
    body = message.text if message.kind == "text" else f"[{message.kind}] {message.text}"
    first, *others = body.splitlines() or [""]
    lines = [f"{message.message_id:>4} {speaker}{reply}: {_isolate(first)}"]
    lines += [f"     {_isolate(line)}" for line in others]
    if message.buttons:
        lines.append("     " + " ".join(f"[{_isolate(button.text)}]" for button in message.buttons))
    return lines


def _write_toast(toast: Toast) -> list[str]:
    if not toast.text:
        return []
    return [f"     ({_isolate(toast.text)})"]


def _isolate(text: str) -> str:
    return f"{_ISOLATE}{text}{_END_ISOLATE}" if text else ""
