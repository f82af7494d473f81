"""What is kept of updates: that they have been taken, how often they failed, and which bot they were for."""

import pytest
from stored_rows import read_rows

import outbox.selectors
import outbox.services
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.pipeline import durable_transaction
from outbox.errors import AnotherBotOwnsDatabase

pytestmark = pytest.mark.django_db


def test_a_receipt_is_new_once_for_each_bot_and_update() -> None:
    def receive(bot_id: int, update_id: int) -> bool:
        with durable_transaction() as pipeline:
            return outbox.services.queue_receipt(pipeline, bot_id=bot_id, update_id=update_id).value

    assert receive(1, 10)
    assert not receive(1, 10)
    assert receive(1, 9), "smaller is not older"
    assert receive(2, 10), "another bot counts for itself"
    assert receive(1, 2**63 - 1)


def test_failures_are_counted_for_each_update() -> None:
    def fail(update_id: int) -> int:
        with durable_transaction() as pipeline:
            return outbox.services.queue_update_failed(pipeline, bot_id=1, update_id=update_id).value

    assert [fail(10), fail(10), fail(11), fail(10), fail(10)] == [1, 2, 1, 3, 4]


@pytest.mark.parametrize("size", [0, 1, 4000, 4031, 4032, 4033, 8127, 70_000])
def test_a_parked_update_is_sealed_at_a_size_that_tells_little(size: int) -> None:
    raw = b"x" * size
    with durable_transaction() as pipeline:
        outbox.services.queue_update_parked(pipeline, raw)
    [(parked_id, body)] = read_rows("SELECT parked_id, body FROM outbox.parked_update")
    assert isinstance(parked_id, bytes)
    assert isinstance(body, bytes)
    record = outbox.services.parked_update_record(size)
    assert open_record(record, record_id=parked_id, envelope=body) == raw
    assert record.padded_bytes.bit_count() == 1
    assert 4096 <= record.padded_bytes <= max(4096, 4 * size)


def test_a_database_serves_one_bot() -> None:
    def record(bot_id: int, username: str) -> None:
        with durable_transaction() as pipeline:
            outbox.services.record_bot(pipeline, bot_id=bot_id, username=username)

    record(1, "first_bot")
    record(1, "renamed_bot")
    with pytest.raises(AnotherBotOwnsDatabase):
        record(2, "second_bot")
    with durable_transaction() as pipeline:
        identity = outbox.selectors.queue_bot_identity(pipeline).value
    assert identity == outbox.selectors.BotIdentity(bot_id=1, username="renamed_bot")
