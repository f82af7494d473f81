"""A bounded load of real updates for the webhook: people who open a link and write, again and again."""

import http.client
import json
import statistics
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Final
from urllib.parse import urlsplit

REQUEST_TIMEOUT_SECONDS: Final = 30
FIRST_USER_ID: Final = 2**33
# Each client speaks for so many, so that nobody is too fast: what the rates drop would cost nothing.
PEOPLE_OF_A_CLIENT: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFigures:
    """What a load has shown: updates a second, milliseconds at three quantiles, answers other than 200."""

    updates_per_second: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    refused: int


class WebhookLoad:
    """Clients that post one update after another over kept connections, as Telegram does."""

    def __init__(self, *, url: str, secret: str, slugs: list[str], first_update_id: int) -> None:
        self._address = urlsplit(url)
        self._secret = secret
        self._slugs = slugs
        self._update_ids = count(first_update_id)
        self._durations: list[float] = []
        self._refused = 0
        self._lock = threading.Lock()

    def run(self, *, clients: int, updates: int) -> LoadFigures:
        """Post about so many updates from so many clients at once and wait for the last answer."""
        threads = [
            threading.Thread(target=self._run_client, args=(number, updates // clients))
            for number in range(clients)
        ]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - started
        cuts = statistics.quantiles(self._durations, n=100)
        return LoadFigures(
            updates_per_second=len(self._durations) / seconds,
            p50_ms=cuts[49] * 1000,
            p95_ms=cuts[94] * 1000,
            p99_ms=cuts[98] * 1000,
            refused=self._refused,
        )

    def _run_client(self, number: int, updates: int) -> None:
        connection = http.client.HTTPConnection(
            self._address.hostname or "", self._address.port, timeout=REQUEST_TIMEOUT_SECONDS
        )
        acts = self._acts(number)
        durations = []
        for _ in range(updates):
            body = self._update(*next(acts))
            started = time.perf_counter()
            connection.request("POST", "/webhook/tg", body=body, headers=self._headers())
            response = connection.getresponse()
            response.read()
            durations.append(time.perf_counter() - started)
            with self._lock:
                self._refused += response.status != 200
        connection.close()
        with self._lock:
            self._durations += durations

    def _acts(self, number: int) -> Iterator[tuple[int, str]]:
        """Who says what: one after the other opens a link and writes."""
        first = FIRST_USER_ID + number * PEOPLE_OF_A_CLIENT
        for turn in count(number):
            user_id = first + turn % PEOPLE_OF_A_CLIENT
            yield user_id, f"/start {self._slugs[turn % len(self._slugs)]}"
            yield user_id, f"a message of about a line, number {turn}"

    def _update(self, user_id: int, text: str) -> bytes:
        update_id = next(self._update_ids)
        message: dict[str, Any] = {
            "message_id": update_id,
            "date": int(time.time()),
            "chat": {"id": user_id, "type": "private", "first_name": "A"},
            "from": {"id": user_id, "is_bot": False, "first_name": "A", "language_code": "en"},
            "text": text,
        }
        return json.dumps({"update_id": update_id, "message": message}).encode()

    def _headers(self) -> dict[str, str]:
        return {"Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": self._secret}
