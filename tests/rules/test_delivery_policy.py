"""What becomes of an intent: every kind with every failure and every number of attempts, as a table."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

import pytest

from outbox.delivery_policy import (
    AUTH_FAILURE_WAIT,
    DEFAULT_RETRY_AFTER_SECONDS,
    OUR_TROUBLE_WAIT,
    Decision,
    Fate,
    decide,
)
from outbox.intent_kinds import POLICIES, AfterAttempts, Durability, IntentKind, LaneClass, WhenUnknown
from outbox.send_result import Failed, FailureKind, SendResult, Sent, Suppressed

ATTEMPTS = range(1, 8)
LADDERS_SECONDS = {
    FailureKind.TRANSIENT: {1: 2, 2: 15, 3: 120, 4: 600},
    FailureKind.NOT_FOUND: {1: 120, 2: 600, 3: 3600, 4: 3600},
    FailureKind.UNKNOWN: {1: 2, 2: 15, 3: 120, 4: 600},
    FailureKind.CONFLICT: {1: 2, 2: 15, 3: 120, 4: 600},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """The page on delivery, one line of its table of kinds."""

    lane_class: LaneClass
    when_unknown: WhenUnknown
    after_attempts: AfterAttempts
    fate_after_attempts: Fate
    edits: bool = False


KINDS = {
    IntentKind.ACKNOWLEDGEMENT: _Row(
        lane_class=LaneClass.TALK,
        when_unknown=WhenUnknown.RESEND,
        after_attempts=AfterAttempts.DEAD,
        fate_after_attempts=Fate.DEAD,
    ),
    IntentKind.QUESTION: _Row(
        lane_class=LaneClass.TALK,
        when_unknown=WhenUnknown.RESEND,
        after_attempts=AfterAttempts.DEAD,
        fate_after_attempts=Fate.DEAD,
    ),
    IntentKind.OPERATOR_ALERT: _Row(
        lane_class=LaneClass.TALK,
        when_unknown=WhenUnknown.RESEND,
        after_attempts=AfterAttempts.DEAD,
        fate_after_attempts=Fate.DEAD,
    ),
    IntentKind.TICKET: _Row(
        lane_class=LaneClass.POST,
        when_unknown=WhenUnknown.RESEND_MARKED,
        after_attempts=AfterAttempts.GIVE_BACK,
        fate_after_attempts=Fate.FAILED,
    ),
    IntentKind.NOTICE: _Row(
        lane_class=LaneClass.POST,
        when_unknown=WhenUnknown.RESEND,
        after_attempts=AfterAttempts.SOURCE_STAYS,
        fate_after_attempts=Fate.FAILED,
    ),
    **dict.fromkeys(
        [IntentKind.SCREEN, IntentKind.PROMPT, IntentKind.PROGRESS],
        _Row(
            lane_class=LaneClass.TALK,
            when_unknown=WhenUnknown.DROP,
            after_attempts=AfterAttempts.DROP,
            fate_after_attempts=Fate.FAILED,
        ),
    ),
    **dict.fromkeys(
        [IntentKind.EDIT, IntentKind.PROGRESS_EDIT],
        _Row(
            lane_class=LaneClass.TALK,
            when_unknown=WhenUnknown.RESEND,
            after_attempts=AfterAttempts.DROP,
            fate_after_attempts=Fate.FAILED,
            edits=True,
        ),
    ),
}
REQUIRED = Durability.REQUIRED
EDITS = [kind for kind, row in KINDS.items() if row.edits]
# What tells that a message has these words already, or is not there, settles an edit.
ENDS_OF_AN_EDIT = {FailureKind.CONFLICT: Fate.SENT, FailureKind.NOT_FOUND: Fate.FAILED}


def _kinds_with(trouble: Iterable[FailureKind]) -> pytest.MarkDecorator:
    """Every kind with every trouble, but for those that an edit ends with."""
    cases = [
        (kind, one)
        for kind in IntentKind
        for one in trouble
        if not (kind in EDITS and one in ENDS_OF_AN_EDIT)
    ]
    return pytest.mark.parametrize(("kind", "kind_of_trouble"), cases)


every_kind = pytest.mark.parametrize("kind", IntentKind)
every_attempt = pytest.mark.parametrize("attempts", ATTEMPTS)


def test_the_table_has_every_kind_that_there_is() -> None:
    assert set(POLICIES) == set(IntentKind) == set(KINDS)


@every_kind
def test_each_kind_has_its_line_of_the_table(kind: IntentKind) -> None:
    policy = POLICIES[kind]
    expected = KINDS[kind]
    assert policy.lane_class is expected.lane_class
    assert policy.when_unknown is expected.when_unknown
    assert policy.after_attempts is expected.after_attempts
    assert policy.edits is expected.edits


@every_kind
@every_attempt
def test_what_has_hardly_arrived_is_dropped_by_no_kind_at_once(kind: IntentKind, attempts: int) -> None:
    failed = Failed(kind=FailureKind.UNKNOWN, probably_undone=True)
    decision = decide(kind, result=failed, attempts=attempts, jitter=0)
    if POLICIES[kind].when_unknown is WhenUnknown.DROP:
        as_transient = Failed(kind=FailureKind.TRANSIENT)
        assert decision == decide(kind, result=as_transient, attempts=attempts, jitter=0)
    else:
        as_unknown = Failed(kind=FailureKind.UNKNOWN)
        assert decision == decide(kind, result=as_unknown, attempts=attempts, jitter=0)


@_kinds_with([FailureKind.TRANSIENT, FailureKind.NOT_FOUND])
@every_attempt
def test_what_may_pass_is_tried_five_times(
    kind: IntentKind, attempts: int, kind_of_trouble: FailureKind
) -> None:
    decision = decide(kind, result=Failed(kind=kind_of_trouble), attempts=attempts, jitter=0)
    if attempts >= 5:
        assert decision.fate is KINDS[kind].fate_after_attempts
    else:
        assert decision.fate is Fate.RETRY
        assert decision.wait == timedelta(seconds=LADDERS_SECONDS[kind_of_trouble][attempts])
        assert decision.counts_as_attempt
    assert not decision.mark_repeat
    assert not decision.park_lane
    assert not decision.park_everything


@_kinds_with([FailureKind.UNKNOWN, FailureKind.CONFLICT])
@every_attempt
def test_what_nobody_knows_is_decided_by_the_kind(
    kind: IntentKind, attempts: int, kind_of_trouble: FailureKind
) -> None:
    decision = decide(kind, result=Failed(kind=kind_of_trouble), attempts=attempts, jitter=0)
    row = KINDS[kind]
    if row.when_unknown is WhenUnknown.DROP:
        assert decision.fate is Fate.FAILED
    elif attempts >= 5:
        assert decision.fate is row.fate_after_attempts
    else:
        assert decision.fate is Fate.RETRY_UNKNOWN
        assert decision.counts_as_attempt
        assert decision.wait == timedelta(seconds=LADDERS_SECONDS[kind_of_trouble][attempts])
    assert decision.mark_repeat is (kind is IntentKind.TICKET)


@pytest.mark.parametrize("kind", EDITS)
@every_attempt
@pytest.mark.parametrize(("kind_of_trouble", "fate"), ENDS_OF_AN_EDIT.items())
def test_an_edit_is_settled_by_what_is_there_already_and_by_what_is_gone(
    kind: IntentKind, attempts: int, kind_of_trouble: FailureKind, fate: Fate
) -> None:
    decision = decide(kind, result=Failed(kind=kind_of_trouble), attempts=attempts, jitter=0)
    assert decision == Decision(fate=fate)


@every_kind
@every_attempt
@pytest.mark.parametrize("kind_of_trouble", ENDS_OF_AN_EDIT)
def test_a_mistake_of_ours_settles_nothing_not_even_an_edit(
    kind: IntentKind, attempts: int, kind_of_trouble: FailureKind
) -> None:
    mistake = Failed(kind=kind_of_trouble, is_ours=True)
    decision = decide(kind, result=mistake, attempts=attempts, jitter=0)
    assert decision == decide(kind, result=Failed(kind=FailureKind.TRANSIENT), attempts=attempts, jitter=0)


@every_kind
@every_attempt
@pytest.mark.parametrize("kind_of_trouble", [FailureKind.PERMISSION, FailureKind.INVALID_PAYLOAD])
def test_what_cannot_pass_ends_at_once(kind: IntentKind, attempts: int, kind_of_trouble: FailureKind) -> None:
    decision = decide(kind, result=Failed(kind=kind_of_trouble), attempts=attempts, jitter=0)
    is_kept = kind_of_trouble is FailureKind.INVALID_PAYLOAD and POLICIES[kind].durability is REQUIRED
    assert decision.fate is (KINDS[kind].fate_after_attempts if is_kept else Fate.FAILED)
    assert not decision.mark_repeat


@every_kind
@every_attempt
@pytest.mark.parametrize(("given", "waited"), [(1, 1), (37, 37), (None, DEFAULT_RETRY_AFTER_SECONDS)])
def test_a_rate_limit_parks_its_lane_and_uses_up_no_attempt(
    kind: IntentKind, attempts: int, given: int | None, waited: int
) -> None:
    result = Failed(kind=FailureKind.RATE_LIMITED, retry_after_seconds=given)
    decision = decide(kind, result=result, attempts=attempts, jitter=1)
    assert decision.fate is Fate.RETRY
    assert not decision.counts_as_attempt
    assert decision.wait == timedelta(seconds=waited), "to the second, without jitter"
    assert decision.park_lane
    assert not decision.park_everything


@every_kind
@every_attempt
def test_a_refused_token_parks_everything_and_uses_up_no_attempt(kind: IntentKind, attempts: int) -> None:
    decision = decide(kind, result=Failed(kind=FailureKind.AUTH), attempts=attempts, jitter=0)
    assert decision.fate is Fate.RETRY
    assert not decision.counts_as_attempt
    assert decision.wait == AUTH_FAILURE_WAIT
    assert decision.park_everything


@every_kind
@every_attempt
def test_what_may_only_be_away_never_ends_an_intent(kind: IntentKind, attempts: int) -> None:
    result = Failed(kind=FailureKind.TRANSIENT, is_ours=True)
    decision = decide(kind, result=result, attempts=attempts, jitter=0)
    assert decision.fate is Fate.RETRY
    assert not decision.counts_as_attempt
    assert not decision.park_everything
    assert decision.wait == OUR_TROUBLE_WAIT


@every_kind
@every_attempt
def test_a_mistake_of_ours_goes_the_ladder_without_a_mark(kind: IntentKind, attempts: int) -> None:
    mistake = Failed(kind=FailureKind.UNKNOWN, is_ours=True)
    decision = decide(kind, result=mistake, attempts=attempts, jitter=0)
    failed_to_leave = Failed(kind=FailureKind.TRANSIENT)
    assert decision == decide(kind, result=failed_to_leave, attempts=attempts, jitter=0)
    assert not decision.mark_repeat


@every_kind
@every_attempt
def test_what_is_spoilt_is_kept_apart_for_good(kind: IntentKind, attempts: int) -> None:
    result = Failed(kind=FailureKind.INVALID_PAYLOAD, is_ours=True)
    decision = decide(kind, result=result, attempts=attempts, jitter=0)
    assert decision == Decision(fate=Fate.DEAD)


@every_kind
@every_attempt
@pytest.mark.parametrize(
    ("result", "fate"),
    [(Sent(message_id=7), Fate.SENT), (Sent(), Fate.SENT), (Suppressed(why="x"), Fate.SUPPRESSED)],
)
def test_what_is_over_is_over(kind: IntentKind, attempts: int, result: SendResult, fate: Fate) -> None:
    decision = decide(kind, result=result, attempts=attempts, jitter=0)
    assert decision.fate is fate
    assert not decision.mark_repeat


@every_kind
@every_attempt
def test_a_part_that_arrived_is_no_end_while_others_are_left(kind: IntentKind, attempts: int) -> None:
    sent = Sent(message_id=7)
    decision = decide(kind, result=sent, attempts=attempts, jitter=0, parts_left=True)
    assert decision == Decision(fate=Fate.PART_SENT)
    assert decide(kind, result=sent, attempts=attempts, jitter=0, parts_left=False).fate is Fate.SENT


@every_kind
@every_attempt
@pytest.mark.parametrize("kind_of_trouble", FailureKind)
@pytest.mark.parametrize("is_ours", [False, True])
def test_a_part_that_did_not_arrive_fares_as_a_whole(
    kind: IntentKind, attempts: int, kind_of_trouble: FailureKind, *, is_ours: bool
) -> None:
    failed = Failed(kind=kind_of_trouble, is_ours=is_ours)
    whole = decide(kind, result=failed, attempts=attempts, jitter=0)
    assert decide(kind, result=failed, attempts=attempts, jitter=0, parts_left=True) == whole
    called_off = Suppressed(why="sender_blocked")
    decision = decide(kind, result=called_off, attempts=attempts, jitter=0, parts_left=True)
    assert decision.fate is Fate.SUPPRESSED
