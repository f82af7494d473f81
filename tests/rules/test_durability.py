"""What must arrive and what may be let go: no kind of intent contradicts itself."""

import pytest

from outbox.intent_kinds import (
    POLICIES,
    AfterAttempts,
    Durability,
    IntentKind,
    KindPolicy,
    LaneClass,
    WhenUnknown,
)


@pytest.mark.parametrize("kind", IntentKind)
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
