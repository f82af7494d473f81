"""What becomes of an intent: every kind with every failure and every number of attempts, as a table."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from outbox import lanes, telegram_client
from outbox.delivery_policy import (
    AUTH_FAILURE_WAIT,
    BREAKER_THRESHOLD,
    DEFAULT_RETRY_AFTER_SECONDS,
    HARD_ATTEMPT_CAP,
    JITTER_SHARE,
    NOT_FOUND_LADDER,
    OUR_TROUBLE_WAIT,
    POLICIES,
    RETRY_LADDER,
    AfterAttempts,
    Decision,
    Fate,
    IntentKind,
    LaneClass,
    WhenUnknown,
    breaker_pause,
    decide,
    reconcile_unknown_send,
)
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


KINDS = {
    IntentKind.ACKNOWLEDGEMENT: _Row(
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
        after_attempts=AfterAttempts.DROP,
        fate_after_attempts=Fate.FAILED,
    ),
    IntentKind.SCREEN: _Row(
        lane_class=LaneClass.TALK,
        when_unknown=WhenUnknown.DROP,
        after_attempts=AfterAttempts.DROP,
        fate_after_attempts=Fate.FAILED,
    ),
    IntentKind.PROMPT: _Row(
        lane_class=LaneClass.TALK,
        when_unknown=WhenUnknown.DROP,
        after_attempts=AfterAttempts.DROP,
        fate_after_attempts=Fate.FAILED,
    ),
}

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
    assert reconcile_unknown_send(kind) is expected.when_unknown


@every_kind
@every_attempt
@pytest.mark.parametrize("kind_of_trouble", [FailureKind.TRANSIENT, FailureKind.NOT_FOUND])
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


@every_kind
@every_attempt
@pytest.mark.parametrize("kind_of_trouble", [FailureKind.UNKNOWN, FailureKind.CONFLICT])
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


@every_kind
@every_attempt
@pytest.mark.parametrize("kind_of_trouble", [FailureKind.PERMISSION, FailureKind.INVALID_PAYLOAD])
def test_what_cannot_pass_ends_at_once(kind: IntentKind, attempts: int, kind_of_trouble: FailureKind) -> None:
    decision = decide(kind, result=Failed(kind=kind_of_trouble), attempts=attempts, jitter=0)
    assert decision.fate is Fate.FAILED
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


@every_attempt
@pytest.mark.parametrize("jitter", [-1.0, -0.5, 0.0, 1.0])
def test_jitter_spreads_a_wait_by_a_fifth_and_never_below_nothing(attempts: int, jitter: float) -> None:
    result = Failed(kind=FailureKind.TRANSIENT)
    plain = decide(IntentKind.TICKET, result=result, attempts=attempts, jitter=0).wait
    spread = decide(IntentKind.TICKET, result=result, attempts=attempts, jitter=jitter).wait
    assert spread == plain * (1 + JITTER_SHARE * jitter)
    assert spread >= timedelta(0)


@pytest.mark.parametrize("ladder", [RETRY_LADDER, NOT_FOUND_LADDER])
def test_there_are_five_attempts_and_a_ladder_only_climbs(ladder: tuple[timedelta, ...]) -> None:
    assert HARD_ATTEMPT_CAP == 5
    assert len(ladder) == HARD_ATTEMPT_CAP - 1
    assert list(ladder) == sorted(ladder)


def test_the_breaker_opens_at_the_fifth_failure_and_doubles_to_a_minute() -> None:
    seconds = {failures: breaker_pause(failures) for failures in range(30)}
    assert all(seconds[failures] is None for failures in range(BREAKER_THRESHOLD))
    pauses = [pause.total_seconds() for pause in seconds.values() if pause is not None]
    assert pauses[:6] == [2, 4, 8, 16, 32, 60]
    assert set(pauses[5:]) == {60}


def test_the_breaker_survives_any_number_of_failures() -> None:
    assert breaker_pause(10**9) == timedelta(minutes=1)


@pytest.mark.parametrize(("request_timeout", "lease"), [(0, 60), (5, 60), (20, 60), (25, 70), (300, 620)])
def test_a_lease_outlives_two_requests_and_is_never_under_a_minute(
    request_timeout: float, lease: float
) -> None:
    assert lanes.lease_seconds(request_timeout_seconds=request_timeout) == lease
    assert lease > 2 * request_timeout


def test_the_configured_lease_outlives_the_configured_request() -> None:
    timeout = telegram_client.REQUEST_TIMEOUT_SECONDS
    assert timeout == telegram_client.CONNECT_TIMEOUT_SECONDS + telegram_client.READ_TIMEOUT_SECONDS
    assert lanes.lease_seconds(request_timeout_seconds=timeout) > 2 * timeout
