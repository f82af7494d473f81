"""The product's own steps, taken one by one in this process: intake, notices, drains, sends, purging."""

import json
from dataclasses import dataclass
from typing import Final

from celery import current_app
from django.db import connection

from nekonymous_site import tasks
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.bot.telegram_updates import fetch_updates
from nekonymous_site.bot.update_intake import take_update
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.workflows.drain_inbox import drain_one_inbox
from nekonymous_site.workflows.make_notices import make_notices
from outbox import telegram_client
from outbox.telegram_client import BotApiCall

MOST_ROUNDS: Final = 500


class LabStuck(Exception):
    """The product does not come to rest, or refuses what made-up people do."""


@dataclass
class ProductSteps:
    """What the running product does all the time, when the laboratory says so."""

    _offset: int | None = None

    def take_updates(self) -> int:
        """Take all that people have done since the last time, in order; tells how many updates."""
        taken = 0
        for _ in range(MOST_ROUNDS):
            updates = fetch_updates(offset=self._offset, wait_seconds=0)
            if not updates:
                return taken
            for update in updates:
                answer = take_update(json.dumps(update).encode())
                if answer.status != 200:
                    raise LabStuck(f"an update was answered {answer.status}")
                if answer.body and "method" in answer.body:
                    _answer_tap(answer.body)
                self._offset = update["update_id"] + 1
                taken += 1
        raise LabStuck("there is no end of updates")

    def notify(self) -> None:
        """Make notices once, as the worker does every second."""
        with durable_transaction() as pipeline:
            make_notices(pipeline)

    def drain(self) -> None:
        """Drain the inboxes of everybody who asked."""
        for _ in range(MOST_ROUNDS):
            with durable_transaction() as pipeline:
                if not drain_one_inbox(pipeline):
                    return
        raise LabStuck("there is no end of drains")

    def pump(self, *, most_rounds: int = MOST_ROUNDS) -> None:
        """Send what is due, with the paces of lanes put behind; what waits because of a fault waits on."""
        for _ in range(most_rounds):
            handled = pump_due_lanes().handled
            if not _let_paces_pass() and not handled:
                return

    def hear_bells(self) -> None:
        """Take the rings away that have been heard by now."""
        current_app.control.purge()

    def maintain(self) -> None:
        """Count and purge, as beat has it done all the time."""
        tasks.fold_events()
        tasks.purge()

    def pass_night(self) -> None:
        """Let lanes go idle, count, purge and vacuum, as beat and autovacuum do in hours without traffic."""
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE outbox.lane SET touched_at = touched_at - interval '10 minutes' WHERE due_at IS NULL"
            )
        self.maintain()
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
        self.maintain()


def _answer_tap(body: dict[str, object]) -> None:
    parameters = {name: value for name, value in body.items() if name != "method"}
    telegram_client.send(BotApiCall(method="answerCallbackQuery", parameters=parameters))


def _let_paces_pass() -> bool:
    """Put paces behind, as if their seconds were over; tells whether any lane waited for one.

    What was not paced is not touched, so that no row moves that would not have moved.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE outbox.send_pace SET paced_until = least(paced_until, now()), parked_until = NULL
            WHERE paced_until > now() OR parked_until > now()
            """
        )
        cursor.execute(
            """
            UPDATE outbox.lane SET due_at = now(),
                talk_paced_until = CASE WHEN talk_paced_until > now() THEN now() ELSE talk_paced_until END,
                post_paced_until = CASE WHEN post_paced_until > now() THEN now() ELSE post_paced_until END
            WHERE lease_id IS NULL AND due_at > now() AND (parked_until IS NULL OR parked_until <= now())
                AND EXISTS (SELECT FROM outbox.intent WHERE intent.lane_tag = lane.lane_tag)
                AND NOT EXISTS (
                    SELECT FROM outbox.intent
                    WHERE intent.lane_tag = lane.lane_tag AND intent.not_before > now())
            """
        )
        return bool(cursor.rowcount)
