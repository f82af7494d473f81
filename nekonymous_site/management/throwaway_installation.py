"""Where commands may make people up: on an empty database, with a bot that is nobody's."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

from nekonymous_site.sandbox.webhook import is_loopback_host


def refuse_real_installation(command: str, *, runs_beside_product: bool = False) -> None:
    """Raise CommandError for a database in use or a Bot API that is not on loopback.

    A command that makes people up, and empties or breaks things, must never see anybody's installation. A
    product that runs beside it has told the database of its bot already.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM accounts.account), EXISTS (SELECT FROM outbox.bot_identity)"
        )
        [(has_people, has_bot)] = cursor.fetchall()
    in_use = has_people or (has_bot and not runs_beside_product)
    if in_use or not is_loopback_host(urlsplit(settings.NEKO.api_url).hostname or ""):
        reason = f"{command} wants an empty database and no real bot: ./neko {command} brings both"
        raise CommandError(reason)
