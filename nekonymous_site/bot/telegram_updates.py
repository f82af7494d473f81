"""How updates are fetched or asked for: registration of the webhook, long polling, and who the bot is."""

from typing import Any, Final

from django.conf import settings

import outbox.services
from nekonymous_site.pipeline import durable_transaction
from outbox.telegram_client import BotApiCall, request

# Asked for by name: leaving the list out would keep whatever an earlier registration asked for.
ALLOWED_UPDATES: Final = ["message", "callback_query", "my_chat_member"]
LONG_POLL_SECONDS: Final = 25
# The sweeper asks between two rounds: a Bot API that hangs must not hold up what waits in Postgres.
IDENTIFY_SECONDS: Final = 3
BATCH_UPDATES: Final = 100


def identify_bot() -> str:
    """Ask Telegram who this bot is, and remember it in the database; gives the username. May be repeated.

    Raises BotApiFailure, and AnotherBotOwnsDatabase when the database serves another bot.
    """
    me = request(BotApiCall(method="getMe", parameters={}), timeout_seconds=IDENTIFY_SECONDS)
    with durable_transaction() as pipeline:
        outbox.services.record_bot(pipeline, bot_id=me["id"], username=me["username"])
    username: str = me["username"]
    return username


def register_webhook(url: str) -> None:
    """Have updates posted to an address, with our secret. May be repeated. Raises BotApiFailure."""
    request(
        BotApiCall(
            method="setWebhook",
            parameters={
                "url": url,
                "secret_token": settings.NEKO.webhook_secret,
                "allowed_updates": ALLOWED_UPDATES,
            },
        )
    )


def remove_webhook() -> None:
    """Have updates wait to be fetched; those that wait already are kept. May be repeated."""
    request(BotApiCall(method="deleteWebhook", parameters={"drop_pending_updates": False}))


def fetch_updates(*, offset: int | None, wait_seconds: int = LONG_POLL_SECONDS) -> list[dict[str, Any]]:
    """Fetch what has come in since `offset`, which confirms everything before it. Raises BotApiFailure."""
    parameters: dict[str, Any] = {
        "allowed_updates": ALLOWED_UPDATES,
        "limit": BATCH_UPDATES,
        "long_polling_timeout": wait_seconds,
    }
    if offset is not None:
        parameters["offset"] = offset
    updates: list[dict[str, Any]] = request(BotApiCall(method="getUpdates", parameters=parameters)) or []
    return updates
