"""The steps of the outbox, taken one by one without any pump."""

import secrets
from datetime import timedelta

import outbox.services
from nekonymous_site.crypto.identifiers import ChatId, IntentTag
from nekonymous_site.pipeline import durable_transaction
from outbox import lanes, send_records
from outbox.delivery_policy import Decision
from outbox.intent_kinds import IntentKind
from outbox.lanes import LaneWaits, LeasedIntent, Throttled
from outbox.services import NewIntent

BOB = ChatId(1)
CAROL = ChatId(2)
LEASE = timedelta(seconds=60)


def queue_intent(
    kind: IntentKind = IntentKind.SCREEN,
    *,
    chat_id: ChatId = BOB,
    tag: bytes | None = None,
    name: str = "",
    unless_one_waits: bool = False,
) -> None:
    """Queue an intent whose body is nothing but a name."""
    with durable_transaction() as pipeline:
        outbox.services.queue_intent(
            pipeline,
            NewIntent(
                kind=kind,
                tag=IntentTag(tag or secrets.token_bytes(32)),
                chat_id=chat_id,
                body={"name": name},
            ),
            unless_one_waits=unless_one_waits,
        )


def take_intent(*, sends_per_second: float = 1000) -> LeasedIntent | Throttled | LaneWaits | None:
    """Take whatever is next."""
    with durable_transaction() as pipeline:
        return lanes.take_next_intent(pipeline, lease=LEASE, sends_per_second=sends_per_second)


def lease_intent() -> LeasedIntent:
    """Take the next intent; there must be one."""
    taken = take_intent()
    assert isinstance(taken, LeasedIntent)
    return taken


def record_decision(leased: LeasedIntent, decision: Decision) -> None:
    """Write what became of an intent, if its lease is still held."""
    with durable_transaction() as pipeline:
        send_records.require_lease(pipeline, leased)
        send_records.record_decision(pipeline, leased, decision=decision)
