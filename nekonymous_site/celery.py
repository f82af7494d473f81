"""The Celery application: a bell between processes, configured in settings.py."""

import os

from celery import Celery
from celery.signals import worker_init

from nekonymous_site.bell import Bell

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "nekonymous_site.settings")

app = Celery("nekonymous_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["nekonymous_site"])
# Rings that nobody hears run out, so that a stopped worker finds no heap of them when it returns.
app.conf.beat_schedule = {
    "make notices": {
        "task": Bell.NOTIFICATION.value,
        "schedule": 1.0,
        "options": {"queue": Bell.NOTIFICATION.value, "expires": 2},
    },
    "purge": {"task": "maintenance", "schedule": 600.0, "options": {"queue": "maintenance", "expires": 600}},
}


@worker_init.connect
def refuse_wrong_configuration(**_signal: object) -> None:
    """Stop a worker before it takes anything when the configuration is wrong."""
    from nekonymous_site.startup import refuse_wrong_configuration as refuse  # noqa: PLC0415 - needs the apps

    refuse()
