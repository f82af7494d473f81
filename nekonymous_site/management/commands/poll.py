"""Fetch updates by long polling instead of a webhook, along the very same path."""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from nekonymous_site.bot.telegram_updates import fetch_updates, identify_bot, remove_webhook
from nekonymous_site.bot.update_intake import RETRY_AFTER_SECONDS, take_update
from nekonymous_site.startup import refuse_wrong_configuration
from outbox import telegram_client
from outbox.errors import OutboxError
from outbox.send_result import FailureKind
from outbox.telegram_client import BotApiCall, BotApiFailure

log = structlog.get_logger("poller")

LONGEST_PAUSE_SECONDS: Final = 60.0


class Command(BaseCommand):
    help = (
        "Fetches updates by long polling and takes each along the path of the webhook. The offset moves only "
        "past what has been committed. Leaves when another poller fetches for this bot (409)."
    )

    @override
    def handle(self, *_args: Any, **_options: Any) -> None:
        refuse_wrong_configuration()
        if settings.NEKO.updates == "webhook":
            raise CommandError(
                "updates come by webhook here, and fetching would end that: NEKO_UPDATES=polling"
            )
        stop = _StopRequest()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop.request)
        try:
            self._poll(stop)
        except _StoppedWhileWaiting:
            return
        except OutboxError as error:
            raise CommandError(str(error)) from None

    def _poll(self, stop: "_StopRequest") -> None:
        offset: int | None = None
        ready = False
        pause_seconds = 1.0
        while not stop.is_requested:
            try:
                with stop.interrupting():
                    if not ready:
                        username = identify_bot()
                        remove_webhook()
                        self.stdout.write(f"fetching updates for @{username}")
                        ready = True
                    updates = fetch_updates(offset=offset)
            except BotApiFailure as failure:
                if failure.kind is FailureKind.CONFLICT:
                    log.error("another_poller")  # noqa: TRY400 - there is nothing in the traceback
                    raise CommandError("another process fetches updates for this bot: stop one") from None
                log.warning("poll_failed", error_class=failure.kind.value)
                stop.wait(failure.retry_after_seconds or pause_seconds)
                pause_seconds = min(pause_seconds * 2, LONGEST_PAUSE_SECONDS)
                continue
            pause_seconds = 1.0
            offset = _take_batch(updates, offset=offset, stop=stop)


class _StoppedWhileWaiting(Exception):
    """Nothing had been fetched yet, so nothing is lost by leaving at once."""


class _StopRequest:
    """Ends a long poll and a pause at once, and anything else after the update that is being taken.

    A plain mark and no lock: the signal may come while this very thread holds one.
    """

    def __init__(self) -> None:
        self.is_requested = False
        self._interrupts = False

    def request(self, *_signal: object) -> None:
        self.is_requested = True
        if self._interrupts:
            raise _StoppedWhileWaiting

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Let a request interrupt the block. Updates fetched in it are confirmed only by the next fetch."""
        self._interrupts = True
        try:
            if self.is_requested:
                raise _StoppedWhileWaiting
            yield
        finally:
            self._interrupts = False

    def wait(self, seconds: float) -> None:
        """Wait, or leave when a stop is requested."""
        with self.interrupting():
            time.sleep(seconds)


def _take_batch(updates: list[dict[str, Any]], *, offset: int | None, stop: _StopRequest) -> int | None:
    """Take a batch in order; stops before the first update that must come again."""
    for update in updates:
        if stop.is_requested:
            return offset
        answer = take_update(json.dumps(update).encode())
        if answer.status != 200:
            stop.wait(answer.retry_after_seconds or RETRY_AFTER_SECONDS)
            return offset
        if answer.body and "method" in answer.body:
            _answer_tap(answer.body)
        offset = update["update_id"] + 1
    return offset


def _answer_tap(body: dict[str, Any]) -> None:
    """Answer a tap once, as well as it goes: it is too old in seconds and changes nothing."""
    parameters = {name: value for name, value in body.items() if name != "method"}
    telegram_client.send(BotApiCall(method=body["method"], parameters=parameters))
