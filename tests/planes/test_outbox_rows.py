"""The outbox: one effect once, in order inside a lane, scrubbed when it is over."""

import secrets

import pytest
from django.db import IntegrityError
from outbox_steps import BOB, CAROL, lease_intent, queue_intent, record_decision, take_intent
from stored_rows import change_rows, intent_states, read_rows, read_value

from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.errors import PlaintextTooLong
from outbox.delivery_policy import Decision, Fate
from outbox.errors import IntentUnreadable
from outbox.intent_kinds import IntentKind
from outbox.lanes import LaneWaits

pytestmark = pytest.mark.django_db


def test_an_intent_is_queued_once_however_often_it_is_asked_for() -> None:
    tag = secrets.token_bytes(32)
    for name in ("first", "second"):
        queue_intent(tag=tag, name=name)
    assert read_value("SELECT count(*) FROM outbox.intent") == 1
    assert lease_intent().body() == {"name": "first"}


def test_a_tag_stays_taken_when_its_intent_is_over() -> None:
    tag = secrets.token_bytes(32)
    queue_intent(tag=tag)
    record_decision(lease_intent(), Decision(fate=Fate.SENT))
    queue_intent(tag=tag)
    assert intent_states("screen") == ["sent"]
    assert isinstance(take_intent(), LaneWaits)
    assert take_intent() is None, "the lane has found out that nothing is left in it"


def test_positions_count_inside_each_lane() -> None:
    for chat_id in (BOB, CAROL, BOB):
        queue_intent(chat_id=chat_id)
    rows = read_rows("SELECT lane_tag, position FROM outbox.intent ORDER BY position, lane_tag")
    bob, carol = blind_tags.lane_tag(BOB), blind_tags.lane_tag(CAROL)
    assert rows == [*sorted([(bob, 1), (carol, 1)]), (bob, 2)]


@pytest.mark.parametrize("fate", [Fate.SENT, Fate.SUPPRESSED, Fate.FAILED])
def test_what_is_over_is_scrubbed(fate: Fate) -> None:
    queue_intent()
    record_decision(lease_intent(), Decision(fate=fate))
    assert read_rows("SELECT state, body, lane_tag, position, not_before FROM outbox.intent") == [
        (fate.value, None, None, None, None)
    ]
    assert read_rows("SELECT lease_id, lease_until, due_at FROM outbox.lane") == [(None, None, None)]


def test_what_is_dead_keeps_its_sealed_body_and_no_lane() -> None:
    queue_intent(IntentKind.ACKNOWLEDGEMENT)
    record_decision(lease_intent(), Decision(fate=Fate.DEAD))
    [(state, body, lane_tag, position, not_before)] = read_rows(
        "SELECT state, body, lane_tag, position, not_before FROM outbox.intent"
    )
    assert (state, lane_tag, position, not_before) == ("dead", None, None, None)
    assert isinstance(body, bytes)


@pytest.mark.parametrize(
    ("decision", "state", "attempts", "possible_repeat"),
    [
        (Decision(fate=Fate.RETRY), "pending", 1, False),
        (Decision(fate=Fate.RETRY, counts_as_attempt=False), "pending", 0, False),
        (Decision(fate=Fate.RETRY_UNKNOWN, mark_repeat=True), "unknown_after_send", 1, True),
    ],
)
def test_what_goes_on_keeps_its_count_and_its_mark(
    decision: Decision, state: str, attempts: int, *, possible_repeat: bool
) -> None:
    queue_intent()
    record_decision(lease_intent(), decision)
    assert read_rows("SELECT state, attempts, possible_repeat FROM outbox.intent") == [
        (state, attempts, possible_repeat)
    ]
    again = lease_intent()
    assert (again.attempts, again.possible_repeat, again.abandoned) == (attempts + 1, possible_repeat, False)


def test_a_body_opens_only_for_its_own_intent_and_kind() -> None:
    queue_intent(name="first")
    queue_intent(name="second", chat_id=CAROL)
    change_rows(
        """
        UPDATE outbox.intent SET body = other.body FROM outbox.intent AS other
        WHERE other.intent_id <> intent.intent_id
        """
    )
    for leased in (lease_intent(), lease_intent()):
        with pytest.raises(IntentUnreadable):
            leased.body()


@pytest.mark.parametrize("kind", IntentKind)
def test_a_body_that_does_not_fit_its_kind_is_refused(kind: IntentKind) -> None:
    with pytest.raises(PlaintextTooLong):
        queue_intent(kind, name="x" * 10_000)


def test_bodies_of_a_kind_have_one_size() -> None:
    for name in ("", "x" * 500):
        queue_intent(name=name)
    sizes = read_rows("SELECT DISTINCT octet_length(body) FROM outbox.intent")
    assert len(sizes) == 1


INTENT = """
    INSERT INTO outbox.intent
        (intent_id, intent_tag, kind, lane_class, lane_tag, position, state, body, created_on)
    VALUES (%s, %s, 'screen', 0, %s, %s, %s, %s, current_date)
"""


@pytest.mark.parametrize(
    ("state", "lane_tag", "position", "body"),
    [
        ("sent", None, None, b"x"),
        ("sent", b"l", None, None),
        ("sent", None, 1, None),
        ("suppressed", None, None, b"x"),
        ("failed", b"l", 1, b"x"),
        ("dead", None, None, None),
        ("dead", b"l", 1, b"x"),
        ("pending", None, None, b"x"),
        ("pending", b"l", 1, None),
        ("sending", b"l", None, b"x"),
        ("unknown_after_send", None, 1, b"x"),
        ("another", b"l", 1, b"x"),
        ("another", None, None, None),
    ],
)
def test_a_state_and_what_is_left_of_an_intent_agree(
    state: str, lane_tag: bytes | None, position: int | None, body: bytes | None
) -> None:
    with pytest.raises(IntegrityError, match="intent_scrubbed_when_over"):
        change_rows(INTENT, [b"i", b"t", lane_tag, position, state, body])


@pytest.mark.parametrize(
    ("intent_id", "tag", "position", "constraint"),
    [
        (b"i", b"u", 2, "intent_pkey"),
        (b"j", b"t", 2, "intent_tag_once"),
        (b"j", b"u", 1, "intent_position_once"),
    ],
)
def test_no_intent_and_no_place_is_there_twice(
    intent_id: bytes, tag: bytes, position: int, constraint: str
) -> None:
    change_rows(INTENT, [b"i", b"t", b"l", 1, "pending", b"x"])
    with pytest.raises(IntegrityError, match=constraint):
        change_rows(INTENT, [intent_id, tag, b"l", position, "pending", b"x"])
