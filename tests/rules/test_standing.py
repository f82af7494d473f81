"""How somebody stands at a moment: a suspension ends by itself, a ban does not."""

from datetime import UTC, datetime, timedelta

import pytest

from safety.errors import SuspensionOutOfRange
from safety.standing import (
    CLEAR,
    LONGEST_SUSPENSION_HOURS,
    Standing,
    SubjectStanding,
    require_suspension_hours,
)

NOON = datetime(2025, 11, 30, 12, tzinfo=UTC)
SUSPENDED = SubjectStanding(standing=Standing.SUSPENDED, until=NOON)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (NOON - timedelta(days=400), SUSPENDED),
        (NOON - timedelta(microseconds=1), SUSPENDED),
        (NOON, CLEAR),
        (NOON + timedelta(microseconds=1), CLEAR),
    ],
)
def test_a_suspension_ends_by_itself(now: datetime, expected: SubjectStanding) -> None:
    assert SUSPENDED.at(now) == expected


@pytest.mark.parametrize("standing", [CLEAR, SubjectStanding(standing=Standing.BANNED)])
def test_nothing_else_ends(standing: SubjectStanding) -> None:
    assert standing.at(NOON + timedelta(days=36_500)) == standing


@pytest.mark.parametrize("hours", [-1, 0, LONGEST_SUSPENSION_HOURS + 1, 2**40])
def test_a_suspension_has_a_length(hours: int) -> None:
    with pytest.raises(SuspensionOutOfRange, match=str(LONGEST_SUSPENSION_HOURS)):
        require_suspension_hours(hours)


@pytest.mark.parametrize("hours", [1, 72, LONGEST_SUSPENSION_HOURS])
def test_a_suspension_may_be_short_or_long(hours: int) -> None:
    require_suspension_hours(hours)
