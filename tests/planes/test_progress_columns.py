"""The live progress of a chat: counted with its lane, edited now and then, forgotten within an hour."""

from datetime import timedelta

import pytest
from outbox_steps import BOB, CAROL, lease_intent, queue_intent, record_decision
from stored_rows import change_rows, read_rows, read_value

import outbox.services
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.pipeline import durable_transaction
from outbox import progress
from outbox.delivery_policy import Decision, Fate
from outbox.intent_kinds import IntentKind
from outbox.progress import Progress

pytestmark = pytest.mark.django_db

LANE = blind_tags.lane_tag(BOB)
NOTHING = (None, 0, None, None, None)


FIRST, SECOND = b"the first one....", b"the second one..."


def _begin(*, total: int = 12, progress_id: bytes = FIRST) -> None:
    queue_intent(IntentKind.PROGRESS)
    with durable_transaction() as pipeline:
        progress.queue_progress_begun(pipeline, LANE, progress_id=progress_id, total=total)


def _read() -> Progress | None:
    with durable_transaction() as pipeline:
        return progress.queue_progress(pipeline, LANE).value


def _read_there() -> Progress:
    found = _read()
    assert found is not None
    return found


def _columns() -> tuple[object, ...]:
    [row] = read_rows(
        """
        SELECT progress_total, progress_delivered, progress_message, progress_edited_at, progress_id
        FROM outbox.lane WHERE lane_tag = %s
        """,
        [LANE],
    )
    return row


def _count_one() -> None:
    with durable_transaction() as pipeline:
        progress.queue_one_delivered(pipeline, LANE)


def _let_edits_pass(seconds: int) -> None:
    change_rows(
        "UPDATE outbox.lane SET progress_edited_at = progress_edited_at - make_interval(secs => %s)",
        [seconds],
    )


def test_it_begins_at_nothing_counts_and_grows() -> None:
    assert _read() is None
    _begin(total=3)
    begun = _read_there()
    assert (begun.total, begun.delivered, begun.edit_is_due, begun.message_id()) == (3, 0, False, None)
    _count_one()
    _count_one()
    with durable_transaction() as pipeline:
        progress.queue_progress_extended(pipeline, LANE, by=4)
    assert (_read_there().total, _read_there().delivered) == (7, 2)


def test_the_next_progress_forgets_the_one_before() -> None:
    _begin(total=3)
    _count_one()
    with durable_transaction() as pipeline:
        progress.queue_progress_shown(pipeline, LANE, progress_id=FIRST, message_id=77)
    _begin(total=5, progress_id=SECOND)
    assert (_read_there().total, _read_there().delivered, _read_there().message_id()) == (5, 0, None)


def test_what_was_queued_for_the_one_before_changes_nothing_of_the_next() -> None:
    _begin(total=3)
    _begin(total=5, progress_id=SECOND)
    with durable_transaction() as pipeline:
        progress.queue_progress_shown(pipeline, LANE, progress_id=FIRST, message_id=77)
        progress.queue_progress_ended(pipeline, LANE, progress_id=FIRST)
    assert (_read_there().total, _read_there().message_id()) == (5, None)


def test_an_edit_is_due_every_five_seconds() -> None:
    _begin()
    _let_edits_pass(4)
    assert not _read_there().edit_is_due
    _let_edits_pass(1)
    assert _read_there().edit_is_due
    with durable_transaction() as pipeline:
        progress.queue_progress_edited(pipeline, LANE)
    assert not _read_there().edit_is_due


def test_the_message_is_known_to_its_own_lane_only_and_sealed() -> None:
    _begin()
    with durable_transaction() as pipeline:
        progress.queue_progress_shown(pipeline, LANE, progress_id=FIRST, message_id=123_456_789)
    assert _read_there().message_id() == 123_456_789
    sealed = _columns()[2]
    assert isinstance(sealed, bytes)
    assert b"123456789" not in sealed
    assert "123456789" not in repr(_read_there())
    queue_intent(chat_id=CAROL)
    change_rows(
        "UPDATE outbox.lane SET progress_total = 1, progress_edited_at = now(), progress_message = %s",
        [sealed],
    )
    with durable_transaction() as pipeline:
        moved = progress.queue_progress(pipeline, blind_tags.lane_tag(CAROL)).value
    assert moved is not None
    with pytest.raises(EnvelopeUnreadable):
        moved.message_id()


def test_without_a_progress_nothing_is_counted_shown_or_begun() -> None:
    queue_intent()
    with durable_transaction() as pipeline:
        progress.queue_one_delivered(pipeline, LANE)
        progress.queue_progress_extended(pipeline, LANE, by=3)
        progress.queue_progress_shown(pipeline, LANE, progress_id=FIRST, message_id=7)
        progress.queue_progress_edited(pipeline, LANE)
    assert _columns() == NOTHING


def test_it_ends_however_often_that_is_asked_for() -> None:
    _begin()
    _count_one()
    for _ in range(2):
        with durable_transaction() as pipeline:
            progress.queue_progress_ended(pipeline, LANE, progress_id=FIRST)
        assert _columns() == NOTHING
        assert _read() is None


def _purge() -> int:
    with durable_transaction() as pipeline:
        return outbox.services.queue_expired_purged(pipeline, limit=500).value


@pytest.mark.parametrize(("minutes", "is_kept"), [(59, True), (61, False)])
def test_a_message_id_is_kept_for_an_hour_at_most(minutes: int, *, is_kept: bool) -> None:
    _begin()
    with durable_transaction() as pipeline:
        progress.queue_progress_shown(pipeline, LANE, progress_id=FIRST, message_id=7)
    _let_edits_pass(minutes * 60)
    _purge()
    assert (_read() is not None) is is_kept
    if not is_kept:
        assert _columns() == NOTHING
    assert read_value("SELECT count(*) FROM outbox.intent WHERE state = 'pending'") == 1


def test_the_purge_of_progress_is_bounded() -> None:
    for chat_id in range(1, 6):
        change_rows(
            """
            INSERT INTO outbox.lane (lane_tag, next_position, due_at, touched_at, progress_total,
                progress_edited_at)
            VALUES (int4send(%s), 1, now(), now(), 1, now() - interval '2 hours')
            """,
            [chat_id],
        )
    left = []
    for _ in range(3):
        with durable_transaction() as pipeline:
            outbox.services.queue_expired_purged(pipeline, limit=2)
        left.append(read_value("SELECT count(*) FROM outbox.lane WHERE progress_total IS NOT NULL"))
    assert left == [3, 1, 0]


def test_a_part_that_arrived_leaves_its_intent_at_the_head_with_fresh_attempts() -> None:
    queue_intent(IntentKind.TICKET, name="an album")
    queue_intent(IntentKind.TICKET, name="the next")
    for number in range(2):
        leased = lease_intent()
        assert (leased.body()["name"], leased.parts_sent, leased.attempts) == ("an album", number, 1)
        record_decision(leased, Decision(fate=Fate.PART_SENT))
        change_rows("UPDATE outbox.lane SET post_paced_until = NULL, due_at = now()")
    assert read_rows("SELECT state, parts_sent, attempts FROM outbox.intent ORDER BY position") == [
        ("pending", 2, 0),
        ("pending", 0, 0),
    ]
    record_decision(lease_intent(), Decision(fate=Fate.SENT))
    change_rows("UPDATE outbox.lane SET post_paced_until = NULL, due_at = now()")
    assert lease_intent().body() == {"name": "the next"}


def test_a_part_that_is_tried_again_forgets_none_that_arrived() -> None:
    queue_intent(IntentKind.TICKET)
    record_decision(lease_intent(), Decision(fate=Fate.PART_SENT))
    for _ in range(2):
        change_rows("UPDATE outbox.lane SET post_paced_until = NULL, due_at = now()")
        leased = lease_intent()
        assert leased.parts_sent == 1
        record_decision(leased, Decision(fate=Fate.RETRY, wait=timedelta(0)))
    assert read_rows("SELECT parts_sent, attempts FROM outbox.intent") == [(1, 2)]
