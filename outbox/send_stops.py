"""Whether the Bot API refuses the token: a row beside the pace, there from the first refusal to success.

Every process sees it, so that a stop is told once and not with each try.
"""

from nekonymous_site.pipeline import Answer, StatementPipeline, any_row
from outbox.send_result import Failed, FailureKind, SendResult, Sent

# Of these nobody can say that the token was looked at.
_TOKEN_NOT_SEEN = (FailureKind.AUTH, FailureKind.TRANSIENT, FailureKind.UNKNOWN)


def queue_stop_noted(pipeline: StatementPipeline) -> Answer[bool]:
    """Note that sending has stopped; False when it is known already."""
    return pipeline.queue(
        "INSERT INTO outbox.send_pace (scope) VALUES ('refused') ON CONFLICT DO NOTHING RETURNING 1",
        read=any_row,
    )


def queue_stop_ended(pipeline: StatementPipeline) -> Answer[bool]:
    """Note that the token is taken; False when it was not refused before."""
    return pipeline.queue("DELETE FROM outbox.send_pace WHERE scope = 'refused' RETURNING 1", read=any_row)


def shows_token_works(result: SendResult) -> bool:
    """Tell whether an outcome came of a call that the Bot API answered as this bot's."""
    if isinstance(result, Failed):
        return not result.is_ours and result.kind not in _TOKEN_NOT_SEEN
    return isinstance(result, Sent)
