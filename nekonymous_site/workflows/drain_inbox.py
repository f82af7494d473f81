"""Turn the waiting rows of an inbox into delivery intents."""

import secrets

import accounts.inbox
import accounts.selectors
import accounts.services
import outbox.services
from nekonymous_site.crypto import blind_tags
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.deliver_ticket import DeliveryOrder
from outbox.delivery_policy import IntentKind
from outbox.services import NewIntent


def drain_one_inbox(pipeline: StatementPipeline) -> bool:
    """Take one drain request and queue a delivery for each waiting row, in order; False when none is left.

    Takes the inbox's lock. A crash before commit leaves the request for the next worker; two workers cannot
    take the same rows.
    """
    account_id = accounts.inbox.queue_drain_taken(pipeline).value
    if account_id is None:
        return False
    accounts.services.queue_inbox_lock(pipeline, account_id)
    attempt_id = secrets.token_bytes(16)
    rows = accounts.inbox.queue_waiting_taken(pipeline, account_id, attempt_id=attempt_id)
    recipient = accounts.selectors.queue_reachable(pipeline, account_id).value
    if recipient is None:
        return True
    for row in rows.value:
        capability = row.capability()
        order = DeliveryOrder(account_id=account_id, attempt_id=attempt_id, capability=capability)
        outbox.services.queue_intent(
            pipeline,
            NewIntent(
                kind=IntentKind.TICKET,
                tag=blind_tags.intent_tag(
                    "ticket-delivery",
                    blind_tags.ticket_hash(capability.lookup_nonce),
                    capability.key_seed,
                    row.generation.to_bytes(2, "big"),
                ),
                chat_id=recipient.chat_id,
                body={**order.to_body(), "chat": recipient.chat_id, "language": recipient.language},
                possible_repeat=row.possible_repeat,
            ),
        )
    return True
