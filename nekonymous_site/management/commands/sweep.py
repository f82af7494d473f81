"""The sweeper: does all timely work from Postgres alone, so that a lost bell or dead broker loses nothing."""

import math
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

import structlog
from django.core.management.base import BaseCommand, CommandParser
from django.db import Error as DatabaseError
from typing_extensions import override

from nekonymous_site import tasks
from nekonymous_site.bot.gathering import end_ready_gatherings
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.bot.telegram_updates import identify_bot
from nekonymous_site.startup import refuse_wrong_configuration
from outbox.errors import OutboxError
from outbox.telegram_client import BotApiFailure

log = structlog.get_logger("sweeper")

PUMPS_AT_ONCE: Final = 4
LOOK_SECONDS: Final = 0.1
STOP_SIGNALS: Final = frozenset({signal.SIGTERM, signal.SIGINT})
INTRODUCTION_RETRY_SECONDS: Final = 30.0
# Lanes that have just become due are left to the workers whom a bell is calling at this moment.
GRACE: Final = timedelta(seconds=1)


class Command(BaseCommand):
    help = (
        "Finds and does due work from Postgres alone: once a second messages in parts, notices, inbox drains "
        "and sending; now and then counting and purging. Run one beside the workers; any number may run. "
        "Stops on SIGTERM after the round it is in."
    )

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--interval", type=float, default=1.0, help="seconds between rounds (1.0)")
        parser.add_argument("--purge-every", type=float, default=120.0, help="seconds between purges (120)")
        parser.add_argument("--rounds", type=int, default=0, help="stop after so many rounds (0: never)")

    @override
    def handle(self, *_args: Any, interval: float, purge_every: float, rounds: int, **_options: Any) -> None:
        refuse_wrong_configuration()
        next_purge = next_introduction = time.monotonic()
        done = 0
        with _stop_signals_held(), ThreadPoolExecutor(PUMPS_AT_ONCE, thread_name_prefix="sweep") as pumps:
            is_stopped = False
            while not is_stopped:
                if time.monotonic() >= next_introduction:
                    next_introduction = time.monotonic() + _introduce_bot()
                sweep_once(pumps)
                if time.monotonic() >= next_purge:
                    _attempt("fold", tasks.fold_events)
                    _attempt("purge", tasks.purge)
                    next_purge = time.monotonic() + purge_every
                done += 1
                if rounds and done >= rounds:
                    return
                is_stopped = _is_stopped_within(interval)


@contextmanager
def _stop_signals_held() -> Iterator[None]:
    """Let stop signals wait to be asked for: a handler could want a lock that its own thread holds."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _is_stopped_within(seconds: float) -> bool:
    """Wait so long, or until a stop signal is there, and take it.

    Python 3.11's `sigtimedwait` tells of a signal that nobody sent when its process was stopped and goes on.
    """
    deadline = time.monotonic() + seconds
    while not signal.sigpending() & STOP_SIGNALS:
        if time.monotonic() >= deadline:
            return False
        time.sleep(min(LOOK_SECONDS, max(deadline - time.monotonic(), 0)))
    signal.sigwait(STOP_SIGNALS)
    return True


def _introduce_bot() -> float:
    """Ask Telegram who this bot is, which links need to know; gives the seconds until the next try.

    `setwebhook` and `poll` ask as well, but a webhook may have been registered by hand.
    """
    try:
        identify_bot()
    except (BotApiFailure, OutboxError, DatabaseError) as error:
        log.warning("bot_not_identified", error_class=type(error).__name__)
        return INTRODUCTION_RETRY_SECONDS
    return math.inf


def sweep_once(pumps: ThreadPoolExecutor) -> None:
    """End gatherings, make notices, drain inboxes and pump due lanes once. May run beside anything."""
    _attempt("gatherings", end_ready_gatherings)
    _attempt("notices", tasks.notify_recipients)
    _attempt("drain", tasks.drain_inboxes)
    runs = [pumps.submit(_attempt, "pump", _pump) for _ in range(PUMPS_AT_ONCE)]
    for run in runs:
        run.result()


def _pump() -> None:
    pump_due_lanes(grace=GRACE)


def _attempt(operation: str, work: Callable[[], object]) -> None:
    """Do one piece of work; whatever fails is tried again in the next round."""
    try:
        work()
    except DatabaseError as error:
        log.warning("round_failed", operation=operation, error_class=type(error).__name__)
    except Exception as error:
        # The sweeper's outermost loop: one broken piece of work must not stop the others.
        log.exception("round_failed", operation=operation, error_class=type(error).__name__)
