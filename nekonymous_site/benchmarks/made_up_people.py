"""The people of a benchmark: recipients made beforehand, and tables emptied between rounds."""

from typing import Final

from django.conf import settings
from django.db import connection

import outbox.services
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import ChatId, TelegramUserId
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.workflows.register_actor import register_actor

# So many that no load fills an inbox (50) before it is emptied: 8,000 updates bring 20 to each.
RECIPIENTS: Final = 400


def make_recipients() -> list[str]:
    """Make a bot and people to write to; gives their links. Once for a database."""
    with durable_transaction() as pipeline:
        outbox.services.record_bot(pipeline, bot_id=settings.NEKO.bot_id or 0, username="benchmark_bot")
        for number in range(RECIPIENTS):
            register_actor(
                pipeline,
                None,
                actor_hash=blind_tags.actor_hash(TelegramUserId(number + 1)),
                chat_id=ChatId(number + 1),
                language="en",
            )
    with connection.cursor() as cursor:
        cursor.execute("SELECT slug FROM accounts.public_link ORDER BY slug")
        return [slug for (slug,) in cursor.fetchall()]


def empty_inboxes() -> None:
    """Remove whatever a round has left, but not the people. Nothing else may run meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(
            "TRUNCATE accounts.draft, accounts.unread, tickets.ticket, outbox.intent, outbox.lane, "
            "outbox.update_receipt, stats.event"
        )
