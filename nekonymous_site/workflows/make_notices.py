"""Tell recipients that something waits, apart from the moment in which it came."""

import secrets
from typing import Final

import structlog

import accounts.inbox
import accounts.selectors
import outbox.services
from accounts.selectors import Reachable
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.errors import EnvelopeUnreadable, UnknownKeyId
from nekonymous_site.pipeline import StatementPipeline
from outbox.intent_kinds import IntentKind
from outbox.services import NewIntent

log = structlog.get_logger("notices")

BATCH_ROWS: Final = 100


def make_notices(pipeline: StatementPipeline) -> int:
    """Queue a notice for each recipient of up to 100 unnoticed rows, shuffled; tells how many recipients.

    A notice names no ticket and no number: it is rendered when its turn comes. One that already waits in a
    lane stands for all. Whoever cannot be reached is told when they return. Rows whose recipient cannot be
    opened for want of a key stay marked, since another process may have it.
    """
    if not accounts.inbox.queue_notice_turn(pipeline).value:
        return 0
    held = accounts.inbox.queue_unnoticed_held(pipeline, limit=BATCH_ROWS).value
    answers = {account_id: accounts.selectors.queue_reachable(pipeline, account_id) for account_id in held}
    noticed = 0
    for account_id, answer in answers.items():
        try:
            recipient = answer.value
        except UnknownKeyId:
            log.warning("notice_postponed")
            continue
        except EnvelopeUnreadable:
            log.warning("account_unreadable")
            recipient = None
        accounts.inbox.queue_noticed(pipeline, held[account_id])
        noticed += 1
        if recipient is not None and recipient.reachable:
            _queue_notice(pipeline, recipient)
    return noticed


def _queue_notice(pipeline: StatementPipeline, recipient: Reachable) -> None:
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
