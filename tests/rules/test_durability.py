"""What must arrive, what may be let go, and what can be known of a send that nobody saw arrive."""

import pytest

from outbox.delivery_policy import Reconciled, decide, reconcile_unknown_send
from outbox.intent_kinds import (
    POLICIES,
    AfterAttempts,
    Durability,
    IntentKind,
    KindPolicy,
    LaneClass,
    WhenUnknown,
)
from outbox.send_result import Failed, FailureKind

every_kind = pytest.mark.parametrize("kind", IntentKind)


@every_kind
def test_what_must_arrive_is_never_dropped_and_only_that_is_kept(kind: IntentKind) -> None:
    policy = POLICIES[kind]
    required = policy.durability is Durability.REQUIRED
    assert required is (policy.after_attempts is not AfterAttempts.DROP)
    assert not (required and policy.when_unknown is WhenUnknown.DROP)


@pytest.mark.parametrize(
    ("durability", "when_unknown", "after_attempts"),
    [
        (Durability.REQUIRED, WhenUnknown.DROP, AfterAttempts.DEAD),
        (Durability.REQUIRED, WhenUnknown.RESEND, AfterAttempts.DROP),
        (Durability.BEST_EFFORT, WhenUnknown.RESEND, AfterAttempts.DEAD),
        (Durability.BEST_EFFORT, WhenUnknown.DROP, AfterAttempts.GIVE_BACK),
    ],
)
def test_a_policy_that_contradicts_itself_is_refused(
    durability: Durability, when_unknown: WhenUnknown, after_attempts: AfterAttempts
) -> None:
    with pytest.raises(ValueError, match=r"dropped"):
        KindPolicy(
            lane_class=LaneClass.TALK,
            durability=durability,
            padded_bytes=512,
            when_unknown=when_unknown,
            after_attempts=after_attempts,
        )


@every_kind
@pytest.mark.parametrize("trouble", [FailureKind.UNKNOWN, FailureKind.CONFLICT])
def test_only_a_failure_itself_tells_what_became_of_a_send(kind: IntentKind, trouble: FailureKind) -> None:
    is_done = POLICIES[kind].edits and trouble is FailureKind.CONFLICT
    expected = Reconciled.SENT if is_done else Reconciled.UNRESOLVED
    assert reconcile_unknown_send(kind, failed=Failed(kind=trouble)) is expected
    never_left = Failed(kind=FailureKind.UNKNOWN, never_left=True)
    assert reconcile_unknown_send(kind, failed=never_left) is Reconciled.NOT_SENT
    decision = decide(kind, result=never_left, attempts=1, jitter=0)
    assert decision == decide(kind, result=Failed(kind=FailureKind.TRANSIENT), attempts=1, jitter=0)
