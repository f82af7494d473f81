"""Celery entry points. A task takes no arguments: what there is to do stands in Postgres.

Each is named like its bell and its queue. All may be repeated, lost and run side by side; the sweeper does
the same work without any broker (management/commands/sweep.py).
"""

from typing import Final

import structlog
from celery import shared_task

import stats.services
from nekonymous_site import bell
from nekonymous_site.bell import Bell
from nekonymous_site.bot.gathering import end_ready_gatherings
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.crypto.errors import UnknownKeyId
from nekonymous_site.failpoints import Entry
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.workflows.drain_inbox import drain_one_inbox
from nekonymous_site.workflows.make_notices import make_notices
from nekonymous_site.workflows.mix_inboxes import mix_inboxes
from nekonymous_site.workflows.purge_expired import purge_expired
from nekonymous_site.workflows.reconcile_inboxes import reconcile_inboxes

log = structlog.get_logger("tasks")

MOST_INBOXES: Final = 100
MOST_POSTPONED: Final = 5
MOST_PURGE_BATCHES: Final = 100
MOST_FOLDED_BATCHES: Final = 100
FOLDED_ROWS: Final = 1000


@shared_task(name=Bell.OUTBOX.value)
def pump_outbox() -> None:
    """Send what is due; ring again when more is due within five seconds."""
    run = pump_due_lanes()
    if run.more_after_seconds is not None:
        bell.ring(Bell.OUTBOX, countdown_seconds=run.more_after_seconds)


@shared_task(name=Bell.INBOX_DRAIN.value)
def drain_inboxes() -> None:
    """Queue the deliveries of everybody who asked, one transaction each.

    A request that wants a key which this process lacks stays for later and stands before nobody else's.
    """
    postponed = 0
    for _ in range(MOST_INBOXES):
        try:
            with durable_transaction(Entry.DRAIN) as pipeline:
                drained = drain_one_inbox(pipeline)
                pipeline.entry = Entry.DRAIN if drained else None
        except UnknownKeyId:
            log.warning("drain_postponed")
            postponed += 1
            drained = postponed < MOST_POSTPONED
        if not drained:
            return
        bell.ring(Bell.OUTBOX)


@shared_task(name=Bell.NOTIFICATION.value)
def notify_recipients() -> None:
    """Queue notices for what has come in since the last round."""
    with durable_transaction(Entry.NOTICES) as pipeline:
        recipients = make_notices(pipeline)
        pipeline.entry = Entry.NOTICES if recipients else None
    if recipients:
        bell.ring(Bell.OUTBOX)


@shared_task(name=Bell.GATHERING.value)
def end_gatherings() -> None:
    """End what nothing more is waited for; ring again when more is ready within five seconds."""
    run = end_ready_gatherings()
    if run.ended:
        bell.ring(Bell.OUTBOX)
    if run.more_after_seconds is not None:
        bell.ring(Bell.GATHERING, countdown_seconds=run.more_after_seconds)


@shared_task(name="stats")
def fold_events() -> None:
    """Move the events that wait into the daily counts, batch by batch."""
    for _ in range(MOST_FOLDED_BATCHES):
        with durable_transaction() as pipeline:
            folded = stats.services.queue_events_folded(pipeline, limit=FOLDED_ROWS).value
        if not folded:
            return


@shared_task(name="maintenance")
def purge() -> None:
    """Delete what its time is over for, batch by batch; give back what no delivery will; mix what waits.

    Mixed last, so that what was given back is mixed too and its order tells nothing.
    """
    for _ in range(MOST_PURGE_BATCHES):
        with durable_transaction() as pipeline:
            purged = purge_expired(pipeline)
        if not purged:
            break
    with durable_transaction() as pipeline:
        reconcile_inboxes(pipeline)
    with durable_transaction() as pipeline:
        mix_inboxes(pipeline)
