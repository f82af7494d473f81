"""One update on its way to the bot: its lane, its body, and what holds it back."""

import json
import time
from dataclasses import dataclass

from nekonymous_site.sandbox.json_types import JsonObject


@dataclass(slots=True, kw_only=True)
class PendingUpdate:
    """An update not yet acknowledged; ``body`` goes out as it is, even if it is no JSON."""

    sequence: int
    update_id: int
    lane: str
    body: str
    expires_at: float
    # Handed out once whatever offset the poller asks for: repeats and late ones carry old ids.
    ignores_offset: bool = False
    # The rest is for faults of delivery. It and those behind it in its lane wait until then,
    held_until: float = 0.0
    # or until the update with this sequence number is acknowledged.
    waits_for: int | None = None
    # The kind of swap for which it still looks for the other one, and the chat that one must be in.
    swap: str | None = None
    swap_chat_id: int | None = None
    is_doubled: bool = False

    def seconds_held(self) -> float:
        """How long it is still held back; 0 if it is not."""
        return max(self.held_until - time.time(), 0.0)

    def release(self) -> None:
        """Let it go out now; repeatable."""
        self.held_until = 0.0
        self.waits_for = self.swap = None


def lane_of(kind: str, content: JsonObject) -> str:
    """Name the queue of an update: messages and edits share their chat's, other kinds have their own."""
    if kind == "callback_query":
        return f"{kind}:{content.get('from', {}).get('id')}"
    if kind in {"message", "edited_message"}:
        return f"message:{content.get('chat', {}).get('id')}"
    return f"{kind}:{content.get('chat', {}).get('id')}"


def chat_id_of(content: JsonObject) -> int | None:
    """The chat that an update's content is about."""
    holder = content if "chat" in content else content.get("message", {})
    chat_id = holder.get("chat", {}).get("id")
    return chat_id if isinstance(chat_id, int) else None


def read_raw_update(body: str) -> tuple[int | None, str]:
    """The update id, if there is one, and the lane of a body made by hand."""
    try:
        parsed = json.loads(body)
        update_id = parsed.get("update_id")
        kind, content = next((name, value) for name, value in parsed.items() if isinstance(value, dict))
        lane = lane_of(kind, content)
    except (ValueError, RecursionError, AttributeError, StopIteration):
        # Junk on purpose: it has no chat, so it waits by itself.
        return None, "raw"
    return (update_id if isinstance(update_id, int) else None), lane
