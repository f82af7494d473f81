"""Register the webhook with Telegram."""

from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from nekonymous_site.bot.telegram_updates import identify_bot, register_webhook
from outbox.errors import OutboxError
from outbox.telegram_client import BotApiFailure

WEBHOOK_PATH: Final = "/webhook/tg"


class Command(BaseCommand):
    help = "Asks Telegram who the bot is and has updates posted to PUBLIC_URL. May be repeated."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", help=f"whole address instead of PUBLIC_URL + {WEBHOOK_PATH}")

    @override
    def handle(self, *_args: Any, url: str | None, **_options: Any) -> None:
        address = url or (settings.NEKO.public_url or "").rstrip("/") + WEBHOOK_PATH
        if address == WEBHOOK_PATH:
            raise CommandError("PUBLIC_URL is not set: set it, or give --url, or use polling")
        try:
            username = identify_bot()
            register_webhook(address)
        except BotApiFailure as failure:
            raise CommandError(f"the Bot API refused: {failure.kind}") from None
        except OutboxError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"@{username} now receives its updates at {address}")
