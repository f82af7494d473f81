"""Tell recipients that something waits, apart from the moment in which it came."""

import secrets
from typing import Final

import structlog

import accounts.inbox
import accounts.selectors
import outbox.services
from accounts.selectors import Reachable
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.pipeline import Answer, StatementPipeline
from outbox.delivery_policy import IntentKind
from outbox.services import NewIntent

log = structlog.get_logger("notices")

BATCH_ROWS: Final = 100


def make_notices(pipeline: StatementPipeline) -> int:
    """Queue a notice for each recipient of up to 100 unnoticed rows, shuffled; tells how many recipients.

    A notice names no ticket and no number: it is rendered when its turn comes. One that already waits in a
    lane stands for all. Whoever cannot be reached is told when they return. Raises UnknownKeyId when another
    process may be able to open what cannot be opened here; the rows then stay marked.
    """
    if not accounts.inbox.queue_notice_turn(pipeline).value:
        return 0
    account_ids = accounts.inbox.queue_unnoticed_taken(pipeline, limit=BATCH_ROWS).value
    answers = [accounts.selectors.queue_reachable(pipeline, account_id) for account_id in account_ids]
    for recipient in [_read(answer) for answer in answers]:
        if recipient is None or not recipient.reachable:
            continue
        outbox.services.queue_intent(
            pipeline,
            NewIntent(
                kind=IntentKind.NOTICE,
                tag=blind_tags.intent_tag("notice", recipient.account_id, secrets.token_bytes(16)),
                chat_id=recipient.chat_id,
                body={
                    "account": recipient.account_id.hex(),
                    "chat": recipient.chat_id,
                    "language": recipient.language,
                },
            ),
            unless_one_waits=True,
        )
    return len(account_ids)


def _read(answer: Answer[Reachable | None]) -> Reachable | None:
    try:
        return answer.value
    except EnvelopeUnreadable:
        # One account that is spoilt for good must not silence all the others.
        log.warning("account_unreadable")
        return None
