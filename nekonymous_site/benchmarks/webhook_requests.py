"""Ready-made requests as Telegram makes them: people who open a link, and people who write."""

import json
import secrets
import time
from itertools import count
from typing import Final

FIRST_USER_ID: Final = 2**33
WEBHOOK_PATH: Final = "/webhook/tg"
# Telegram's own numbers of updates need more than 32 bits sooner or later.
_FIRST_UPDATE_ID: Final = 2**33
_FIRST_NEWCOMER: Final = 1_000_000


class WebhookRequests:
    """Makes the updates of one run, numbered one after another, and the requests that carry them."""

    def __init__(self, *, secret: str, slugs: list[str]) -> None:
        self._secret = secret
        self._slugs = slugs
        self._update_ids = count(_FIRST_UPDATE_ID + secrets.randbits(40))
        self._newcomers = count(_FIRST_NEWCOMER)

    def newcomer(self) -> int:
        """The number of somebody who has not been seen yet, beyond those that are chosen."""
        return next(self._newcomers)

    def opening(self, person: int, *, recipient: int) -> bytes:
        """The update in which somebody opens a recipient's link."""
        return self._update(person, text=f"/start {self._slugs[recipient % len(self._slugs)]}")

    def message(self, person: int) -> bytes:
        """The update in which somebody writes a line."""
        return self._update(person, text=f"a message of about a line, from number {person:05}")

    def post(self, update: bytes) -> bytes:
        """The request that brings an update."""
        return _post(update, secret=self._secret)

    def strangers_post(self, update: bytes) -> bytes:
        """The same request without the secret: refused before anything is done for it."""
        return _post(update, secret="x" * len(self._secret))

    def _update(self, person: int, *, text: str) -> bytes:
        update_id = next(self._update_ids)
        user_id = FIRST_USER_ID + person
        message = {
            "message_id": update_id % 2**31,
            "date": int(time.time()),
            "chat": {"id": user_id, "type": "private", "first_name": "A"},
            "from": {"id": user_id, "is_bot": False, "first_name": "A", "language_code": "en"},
            "text": text,
        }
        return json.dumps({"update_id": update_id, "message": message}).encode()


def _post(body: bytes, *, secret: str) -> bytes:
    head = (
        f"POST {WEBHOOK_PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"X-Telegram-Bot-Api-Secret-Token: {secret}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
