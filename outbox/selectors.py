"""Reads of the outbox plane."""

from dataclasses import dataclass

from nekonymous_site.pipeline import Answer, StatementPipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class BotIdentity:
    bot_id: int
    username: str


def queue_bot_identity(pipeline: StatementPipeline) -> Answer[BotIdentity | None]:
    """Find which bot this database serves; None until `setwebhook` or `poll` has asked Telegram once."""
    return pipeline.queue(
        "SELECT bot_id, username FROM outbox.bot_identity WHERE scope = 'bot'",
        read=lambda rows: BotIdentity(bot_id=rows[0][0], username=rows[0][1]) if rows else None,
    )
