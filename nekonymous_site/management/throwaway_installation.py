"""Where commands may make people up: on an empty database, with a bot that is nobody's."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

from nekonymous_site.sandbox.webhook import is_loopback_host


def refuse_real_installation(command: str) -> None:
    """Raise CommandError for a database in use or a Bot API that is not on loopback.

    A command that makes people up, and empties or breaks things, must never see anybody's installation.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM accounts.account) OR EXISTS (SELECT FROM outbox.bot_identity)"
        )
        in_use = cursor.fetchone() != (False,)
    if in_use or not is_loopback_host(urlsplit(settings.NEKO.api_url).hostname or ""):
        reason = f"{command} wants an empty database and no real bot: ./neko {command} brings both"
        raise CommandError(reason)
