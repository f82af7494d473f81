"""Others whose sends are answered: without them a failing chat cannot be told from a failing Bot API."""

from town import hurry_lanes

from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.pipeline import durable_transaction
from outbox import send_pace

MOST_ROUNDS = 100


def let_others_be_answered() -> None:
    """Record what an accepted send of somebody else records."""
    with durable_transaction() as pipeline:
        send_pace.queue_failures_forgotten(pipeline)


def pump_beside_others() -> None:
    """Send all that is due, with waits put behind, while sends of others are accepted in between."""
    for _ in range(MOST_ROUNDS):
        hurry_lanes()
        if not pump_due_lanes().handled:
            return
        let_others_be_answered()
    raise AssertionError("the outbox does not come to rest")
