"""The Celery application: a bell between processes, configured in settings.py."""

import os

from celery import Celery
from celery.signals import after_task_publish, before_task_publish, setup_logging, worker_init
from django.conf import settings

from nekonymous_site.bell import Bell
from nekonymous_site.failpoints import Moment, reach
from nekonymous_site.logging_redaction import configure_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "nekonymous_site.settings")

app = Celery("nekonymous_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["nekonymous_site"])
# A worker drops rings whose time is over, so one that returns works off no heap of them.
app.conf.beat_schedule = {
    "make notices": {
        "task": Bell.NOTIFICATION.value,
        "schedule": 1.0,
        "options": {"queue": Bell.NOTIFICATION.value, "expires": 2},
    },
    "fold events": {"task": "stats", "schedule": 30.0, "options": {"queue": "stats", "expires": 30}},
    "purge": {"task": "maintenance", "schedule": 120.0, "options": {"queue": "maintenance", "expires": 120}},
}


# Connections are kept over tasks; each durable transaction checks the one it gets (pipeline.py).
app.conf.CELERY_DB_REUSE_MAX = 1_000_000


@setup_logging.connect
def keep_our_log(**_signal: object) -> None:
    """Log as every other process does: Celery's own set-up would print what tasks and clients say."""
    configure_logging(settings.LOGGING)


@before_task_publish.connect
def pass_before_ring(**_signal: object) -> None:
    """A place where the fault lab may let beat die."""
    reach(Moment.BEFORE_RING)


@after_task_publish.connect
def pass_after_ring(**_signal: object) -> None:
    """The place behind it."""
    reach(Moment.AFTER_RING)


@worker_init.connect
def refuse_wrong_configuration(**_signal: object) -> None:
    """Stop a worker before it takes anything when the configuration is wrong."""
    from nekonymous_site.startup import refuse_wrong_configuration as refuse  # noqa: PLC0415 - needs the apps

    refuse()
