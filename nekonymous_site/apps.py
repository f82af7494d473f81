"""The composition root as a Django app: management commands, system checks and the keys of the process."""

from contextlib import suppress

from django.apps import AppConfig
from django.conf import settings
from typing_extensions import override

import nekonymous_site.celery  # noqa: F401 - every process rings the bell through this app, not Celery's default one
from nekonymous_site.crypto import process_keys
from nekonymous_site.crypto.errors import MalformedKeys
from nekonymous_site.session_limits import limit_new_connections
from nekonymous_site.system_checks import register_checks


class NekonymousSiteConfig(AppConfig):
    """Loads what every Django process needs, whichever entry point started it."""

    name = "nekonymous_site"

    @override
    def ready(self) -> None:
        """Set the process keys when they were given; malformed ones are a system check's to report."""
        register_checks()
        limit_new_connections()
        _configure_process_keys()


def _configure_process_keys() -> None:
    environment = settings.NEKO
    if environment.master_keys is None or environment.hmac_pepper is None:
        return
    with suppress(MalformedKeys):
        process_keys.configure(master_keys=environment.master_keys, pepper=environment.hmac_pepper)
