"""The outbox: one effect once, in order inside a lane, scrubbed when it is over."""

import secrets
from datetime import timedelta

import pytest
from django.db import IntegrityError
from stored_rows import change_rows, expire_leases, intent_states, read_rows, read_value

import outbox.selectors
import outbox.services
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.errors import PlaintextTooLong
from nekonymous_site.crypto.identifiers import ChatId, IntentTag
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.pipeline import durable_transaction
from outbox import lanes, send_pace, send_records
from outbox.delivery_policy import Decision, Fate, IntentKind
from outbox.errors import AnotherBotOwnsDatabase, IntentUnreadable, StaleLease
from outbox.lanes import LaneWaits, LeasedIntent, Throttled
from outbox.services import NewIntent

pytestmark = pytest.mark.django_db

BOB = ChatId(1)
CAROL = ChatId(2)
LEASE = timedelta(seconds=60)


def _queue(
    kind: IntentKind = IntentKind.SCREEN,
    *,
    chat_id: ChatId = BOB,
    tag: bytes | None = None,
    name: str = "",
    unless_one_waits: bool = False,
) -> None:
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


def _take(*, sends_per_second: float = 1000) -> LeasedIntent | Throttled | LaneWaits | None:
    with durable_transaction() as pipeline:
        return lanes.take_next_intent(pipeline, lease=LEASE, sends_per_second=sends_per_second)


def _lease() -> LeasedIntent:
    taken = _take()
    assert isinstance(taken, LeasedIntent)
    return taken


def _record(leased: LeasedIntent, decision: Decision) -> None:
    with durable_transaction() as pipeline:
        send_records.require_lease(pipeline, leased)
        send_records.record_decision(pipeline, leased, decision=decision)


def _lane(column: str) -> object:
    rows = read_rows("SELECT to_jsonb(lane) ->> %s FROM outbox.lane", [column])
    [[value]] = rows
    return value


def test_an_intent_is_queued_once_however_often_it_is_asked_for() -> None:
    tag = secrets.token_bytes(32)
    for name in ("first", "second"):
        _queue(tag=tag, name=name)
    assert read_value("SELECT count(*) FROM outbox.intent") == 1
    assert _lease().body() == {"name": "first"}


def test_a_tag_stays_taken_when_its_intent_is_over() -> None:
    tag = secrets.token_bytes(32)
    _queue(tag=tag)
    _record(_lease(), Decision(fate=Fate.SENT))
    _queue(tag=tag)
    assert intent_states("screen") == ["sent"]
    assert isinstance(_take(), LaneWaits)
    assert _take() is None, "the lane has found out that nothing is left in it"


def test_positions_count_inside_each_lane() -> None:
    for chat_id in (BOB, CAROL, BOB):
        _queue(chat_id=chat_id)
    rows = read_rows("SELECT lane_tag, position FROM outbox.intent ORDER BY position, lane_tag")
    bob, carol = blind_tags.lane_tag(BOB), blind_tags.lane_tag(CAROL)
    assert rows == [*sorted([(bob, 1), (carol, 1)]), (bob, 2)]


def test_a_class_keeps_its_order_and_talk_goes_before_post() -> None:
    for kind in (IntentKind.NOTICE, IntentKind.SCREEN, IntentKind.TICKET, IntentKind.ACKNOWLEDGEMENT):
        _queue(kind, name=kind)
    order = []
    for _ in range(4):
        change_rows("UPDATE outbox.lane SET post_paced_until = NULL, due_at = now()")
        leased = _lease()
        order.append(leased.body()["name"])
        _record(leased, Decision(fate=Fate.SENT))
    assert order == ["screen", "acknowledgement", "notice", "ticket"]


def test_a_head_that_waits_holds_back_its_class_and_not_the_other() -> None:
    _queue(IntentKind.TICKET, name="first ticket")
    _queue(IntentKind.TICKET, name="second ticket")
    _record(_lease(), Decision(fate=Fate.RETRY, wait=timedelta(minutes=1)))
    change_rows("UPDATE outbox.lane SET post_paced_until = NULL, due_at = now()")
    assert isinstance(_take(), LaneWaits)
    _queue(IntentKind.SCREEN, name="screen")
    assert _lease().body() == {"name": "screen"}


def test_one_waiting_notice_stands_for_all_until_its_turn_has_come() -> None:
    for _ in range(2):
        _queue(IntentKind.NOTICE, unless_one_waits=True)
    assert intent_states("notice") == ["pending"]
    _queue(IntentKind.NOTICE, chat_id=CAROL, unless_one_waits=True)
    assert intent_states("notice") == ["pending", "pending"], "each lane for itself"
    _lease()
    _lease()
    _queue(IntentKind.NOTICE, unless_one_waits=True)
    assert intent_states("notice") == ["pending", "sending", "sending"]


def test_a_lane_is_leased_to_one_and_comes_back() -> None:
    _queue()
    _queue()
    first = _lease()
    assert (first.attempts, first.abandoned) == (1, False)
    assert _take() is None
    _record(first, Decision(fate=Fate.SENT))
    assert _lease().intent_id != first.intent_id


def test_what_a_vanished_worker_was_sending_is_abandoned_and_goes_first() -> None:
    _queue(IntentKind.TICKET)
    lost = _lease()
    _queue(IntentKind.SCREEN)
    expire_leases()
    found = _lease()
    assert found.intent_id == lost.intent_id
    assert found.abandoned
    assert found.attempts == 1, "the attempt that was lost counts, looking at it does not"
    with pytest.raises(StaleLease), durable_transaction() as pipeline:
        send_records.require_lease(pipeline, lost)


@pytest.mark.parametrize("fate", [Fate.SENT, Fate.SUPPRESSED, Fate.FAILED])
def test_what_is_over_is_scrubbed(fate: Fate) -> None:
    _queue()
    _record(_lease(), Decision(fate=fate))
    assert read_rows("SELECT state, body, lane_tag, position, not_before FROM outbox.intent") == [
        (fate.value, None, None, None, None)
    ]
    assert (_lane("lease_id"), _lane("lease_until"), _lane("due_at")) == (None, None, None)


def test_what_is_dead_keeps_its_sealed_body_and_no_lane() -> None:
    _queue(IntentKind.ACKNOWLEDGEMENT)
    _record(_lease(), Decision(fate=Fate.DEAD))
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
    _queue()
    _record(_lease(), decision)
    assert read_rows("SELECT state, attempts, possible_repeat FROM outbox.intent") == [
        (state, attempts, possible_repeat)
    ]
    again = _lease()
    assert (again.attempts, again.possible_repeat, again.abandoned) == (attempts + 1, possible_repeat, False)


def test_a_lane_is_due_when_its_wait_is_over_to_the_second() -> None:
    _queue()
    _record(_lease(), Decision(fate=Fate.RETRY, wait=timedelta(seconds=17), park_lane=True))
    assert read_value("SELECT extract(epoch FROM due_at - touched_at)::int FROM outbox.lane") == 17
    assert read_value("SELECT extract(epoch FROM parked_until - touched_at)::int FROM outbox.lane") == 17
    _queue(IntentKind.ACKNOWLEDGEMENT)
    assert read_value("SELECT extract(epoch FROM due_at - touched_at)::int FROM outbox.lane") >= 16  # type: ignore[operator]
    assert _take() is None, "what comes in meanwhile waits as well"


def test_while_everything_is_parked_nothing_is_due() -> None:
    _queue()
    _queue(chat_id=CAROL)
    leased = _lease()
    _record(leased, Decision(fate=Fate.RETRY, wait=timedelta(seconds=60), park_everything=True))
    assert _take() is None
    change_rows("UPDATE outbox.send_pace SET parked_until = now()")
    assert isinstance(_take(), LeasedIntent)


def test_a_shorter_park_does_not_cut_a_longer_one() -> None:
    for seconds in (60, 5):
        with durable_transaction() as pipeline:
            send_pace.queue_everything_parked(pipeline, wait=timedelta(seconds=seconds))
    assert read_value("SELECT parked_until = now() + interval '60 seconds' FROM outbox.send_pace") is True


def test_the_shared_limiter_lets_its_tolerance_through_and_then_asks_for_a_moment() -> None:
    # 0.2 s of tolerance at 30 a second are seven sends at once, counting the first.
    for chat_id in range(1, 12):
        _queue(chat_id=ChatId(chat_id))
    taken = [_take(sends_per_second=30) for _ in range(11)]
    sent = [one for one in taken if isinstance(one, LeasedIntent)]
    throttled = [one for one in taken if isinstance(one, Throttled)]
    assert 6 <= len(sent) <= 9
    assert len(sent) + len(throttled) == 11
    assert {one.wait_seconds for one in throttled} == {1 / 30}
    assert read_value("SELECT count(*) FROM outbox.lane WHERE lease_id IS NOT NULL") == len(sent)


def test_talk_bursts_to_five_and_post_goes_once_a_second() -> None:
    for _ in range(6):
        _queue(IntentKind.SCREEN)
    for _ in range(5):
        _record(_lease(), Decision(fate=Fate.SENT))
    assert _take() is None
    assert 0 < float(str(read_value("SELECT extract(epoch FROM due_at - now()) FROM outbox.lane"))) <= 1
    _queue(IntentKind.TICKET)
    _queue(IntentKind.TICKET)
    _record(_lease(), Decision(fate=Fate.SENT))
    change_rows("UPDATE outbox.lane SET talk_paced_until = now() + interval '1 hour', due_at = now()")
    assert isinstance(_take(), LaneWaits)


def test_a_body_opens_only_for_its_own_intent_and_kind() -> None:
    _queue(name="first")
    _queue(name="second", chat_id=CAROL)
    change_rows(
        """
        UPDATE outbox.intent SET body = other.body FROM outbox.intent AS other
        WHERE other.intent_id <> intent.intent_id
        """
    )
    for leased in (_lease(), _lease()):
        with pytest.raises(IntentUnreadable):
            leased.body()


@pytest.mark.parametrize("kind", IntentKind)
def test_a_body_that_does_not_fit_its_kind_is_refused(kind: IntentKind) -> None:
    with pytest.raises(PlaintextTooLong):
        _queue(kind, name="x" * 10_000)


def test_bodies_of_a_kind_have_one_size() -> None:
    for name in ("", "x" * 500):
        _queue(name=name)
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


def test_a_receipt_is_new_once_for_each_bot_and_update() -> None:
    def receive(bot_id: int, update_id: int) -> bool:
        with durable_transaction() as pipeline:
            return outbox.services.queue_receipt(pipeline, bot_id=bot_id, update_id=update_id).value

    assert receive(1, 10)
    assert not receive(1, 10)
    assert receive(1, 9), "smaller is not older"
    assert receive(2, 10), "another bot counts for itself"
    assert receive(1, 2**63 - 1)


def test_an_update_is_poisonous_at_its_third_failure() -> None:
    def fail(update_id: int) -> bool:
        with durable_transaction() as pipeline:
            return outbox.services.queue_update_failed(pipeline, bot_id=1, update_id=update_id).value

    assert [fail(10), fail(10), fail(11), fail(10), fail(10)] == [False, False, False, True, True]


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
