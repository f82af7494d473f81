"""Updates that the lab itself posts to the web process, as Telegram would: to measure or repeat them."""

import json
import secrets
import time
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import requests

from nekonymous_site.fault_lab.failures import LabStopped
from nekonymous_site.sandbox.people import Person

ANSWER_SECONDS: Final = 65.0
LONGEST_PAUSE_SECONDS: Final = 1.0
TAKEN_SECONDS: Final = 180.0
_SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """How one request was answered; the status is 0 where there was no answer."""

    status: int
    seconds: float
    retry_after_seconds: float | None = None


@dataclass(slots=True, kw_only=True)
class DirectPosts:
    """Posts updates with numbers of its own, beside those of the sandbox."""

    web_url: str
    secret: str = field(repr=False)
    _update_ids: "count[int]" = field(default_factory=lambda: count(2**40 + secrets.randbits(36)))

    def make_message(self, person: Person, text: str) -> bytes:
        """The update in which somebody writes."""
        update_id = next(self._update_ids)
        message: dict[str, Any] = {
            "message_id": update_id % 2**31,
            "date": int(time.time()),
            "chat": {"id": person.id, "type": "private", "first_name": person.first_name},
            "from": {
                "id": person.id,
                "is_bot": False,
                "first_name": person.first_name,
                "language_code": "en",
            },
            "text": text,
        }
        return json.dumps({"update_id": update_id, "message": message}).encode()

    def post(self, update: bytes) -> Posted:
        """Post once. Never raises for what the web process does."""
        started = time.monotonic()
        headers = {"Content-Type": "application/json", _SECRET_HEADER: self.secret, "Connection": "close"}
        try:
            answer = requests.post(
                f"{self.web_url}/webhook/tg", data=update, headers=headers, timeout=ANSWER_SECONDS
            )
        except requests.RequestException:
            return Posted(status=0, seconds=time.monotonic() - started)
        retry_after = answer.headers.get("Retry-After")
        return Posted(
            status=answer.status_code,
            seconds=time.monotonic() - started,
            retry_after_seconds=float(retry_after) if retry_after else None,
        )

    def post_until_taken(self, update: bytes) -> list[Posted]:
        """Post again and again, as Telegram does, until it is taken; gives all answers. Raises LabStopped."""
        answers = []
        deadline = time.monotonic() + TAKEN_SECONDS
        while time.monotonic() < deadline:
            answers.append(self.post(update))
            if answers[-1].status == 200:
                return answers
            time.sleep(min(answers[-1].retry_after_seconds or 0.2, LONGEST_PAUSE_SECONDS))
        raise LabStopped("an update is never taken")
