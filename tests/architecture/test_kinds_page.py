"""The table of kinds in docs/architecture.md says what the code does."""

from markdown_tables import code_words, tables_by_heading

from nekonymous_site.environment import CHECKOUT
from outbox.intent_kinds import POLICIES, AfterAttempts, Durability, WhenUnknown

TABLE = tables_by_heading(CHECKOUT / "docs" / "architecture.md")["Kinds"]
DURABILITY = {Durability.REQUIRED: "required", Durability.BEST_EFFORT: "best effort"}
WHEN_UNKNOWN = {
    WhenUnknown.RESEND: "send again",
    WhenUnknown.RESEND_MARKED: "send again, marked as a possible repeat",
    WhenUnknown.DROP: "drop",
}
AFTER_ATTEMPTS = {
    AfterAttempts.DEAD: "it dies",
    AfterAttempts.DROP: "drop",
    AfterAttempts.SOURCE_STAYS: "drop; what it tells of stays",
    AfterAttempts.GIVE_BACK: "give the row back, with a new notice",
}


def test_every_kind_has_one_row_with_its_policy() -> None:
    told = {
        code_words(row["kind"])[0]: tuple(
            row[name] for name in ("class", "durability", "when unknown", "after five attempts")
        )
        for row in TABLE
    }
    assert len(told) == len(TABLE)
    assert told == {
        kind.value: (
            policy.lane_class.name.lower(),
            DURABILITY[policy.durability],
            WHEN_UNKNOWN[policy.when_unknown],
            AFTER_ATTEMPTS[policy.after_attempts],
        )
        for kind, policy in POLICIES.items()
    }
