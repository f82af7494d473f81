"""Reads of the outbox plane."""

from dataclasses import dataclass

from nekonymous_site.crypto.identifiers import IntentTag
from nekonymous_site.pipeline import Answer, Row, StatementPipeline
from outbox.delivery_policy import IntentState

_NOT_SHOWN = (IntentState.DEAD, IntentState.SUPPRESSED)
_OVER = (*_NOT_SHOWN, IntentState.SENT, IntentState.FAILED)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentStanding:
    """Whether an intent may still be sent, and whether something of it may have been seen."""

    is_over: bool
    may_have_arrived: bool


def queue_intent_standings(
    pipeline: StatementPipeline, tags: list[IntentTag]
) -> Answer[dict[IntentTag, IntentStanding]]:
    """Find how intents stand by their tags; one that does not exist is missing from the answer."""

    def read(rows: list[Row]) -> dict[IntentTag, IntentStanding]:
        return {
            IntentTag(tag): IntentStanding(
                is_over=state in _OVER,
                # A dead letter was marked when it became unknown; how the others ended is not kept.
                may_have_arrived=possible_repeat or parts_sent > 0 or state not in _NOT_SHOWN,
            )
            for tag, state, possible_repeat, parts_sent in rows
        }

    return pipeline.queue(
        """
        SELECT intent_tag, state, possible_repeat, parts_sent FROM outbox.intent WHERE intent_tag = ANY(%s)
        """,
        [tags],
        read=read,
    )
