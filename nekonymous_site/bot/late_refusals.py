"""A refusal that may be older than its person's return is tried once more before it judges them."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

import accounts.services
from nekonymous_site.bot.intent_effects import tells_unreachable
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import StatementPipeline
from outbox.delivery_policy import Decision, Fate
from outbox.errors import IntentUnreadable
from outbox.lanes import LeasedIntent, queue_asked_since_leased
from outbox.send_result import SendResult

_WAIT: Final = timedelta(seconds=2)


def reconsider_refusal(
    pipeline: StatementPipeline, leased: LeasedIntent, *, result: SendResult, decision: Decision
) -> Decision:
    """Let a refused intent be sent again where its person may have returned since its call left.

    A call is made outside of any transaction: what it is told may be older than what is recorded beside it.
    Whoever returns leaves one of two signs. Either the update that brings them back has been committed since
    the lease was taken: then it has moved the lane's position, by the answer to it or, where there is none,
    by itself. Or it is being taken at this moment, behind the actor's lock: then it has read the account
    as it was and would not see the mark. Without either sign the refusal is younger than anything the person
    has done, and it judges.

    Others move the position as well (a notice that is queued just now). It costs one call more: trying again
    takes a new lease and with it a new position, so each sign is good for one more attempt. The intent keeps
    its place, so no order is broken; a refused call has shown nothing, so no attempt is used up.

    Needs the lane's lock. Raises UnknownKeyId when another process may be able to open the intent.
    """
    if not tells_unreachable(leased, decision=decision, result=result):
        return decision
    if queue_asked_since_leased(pipeline, leased).value or _is_writing(pipeline, leased):
        return replace(decision, fate=Fate.RETRY, counts_as_attempt=False, wait=_WAIT)
    return decision


def _is_writing(pipeline: StatementPipeline, leased: LeasedIntent) -> bool:
    try:
        account_id = AccountId(bytes.fromhex(leased.body()["account"]))
    except IntentUnreadable:
        return False
    return not accounts.services.queue_actor_tried(pipeline, account_id).value
