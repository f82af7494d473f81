"""How long things wait: between attempts, while the Bot API fails, and for how long a lane is leased."""

from datetime import timedelta

import pytest

from outbox import lanes, telegram_client
from outbox.breaker_policy import BREAKER_THRESHOLD, breaker_pause
from outbox.delivery_policy import HARD_ATTEMPT_CAP, JITTER_SHARE, NOT_FOUND_LADDER, RETRY_LADDER, decide
from outbox.intent_kinds import IntentKind
from outbox.send_result import Failed, FailureKind


@pytest.mark.parametrize("attempts", range(1, 8))
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
