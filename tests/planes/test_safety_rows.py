"""Sanctions: one row for each person, only ever stricter until cleared, over by the database's clock."""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import LiteralString

import pytest
from django.db import IntegrityError
from stored_rows import change_rows, read_rows, read_value

import safety.selectors
import safety.services
from nekonymous_site.crypto.identifiers import AbuseSubjectTag
from nekonymous_site.pipeline import durable_transaction
from safety.errors import SuspensionOutOfRange
from safety.standing import CLEAR, LONGEST_SUSPENSION_HOURS, Standing, SubjectStanding

pytestmark = pytest.mark.django_db
BANNED = SubjectStanding(standing=Standing.BANNED)


def _somebody() -> AbuseSubjectTag:
    return AbuseSubjectTag(secrets.token_bytes(32))


def _standing(subject: AbuseSubjectTag) -> SubjectStanding:
    with durable_transaction() as pipeline:
        return safety.selectors.queue_standing(pipeline, subject).value


def _suspend(subject: AbuseSubjectTag, *, hours: int) -> SubjectStanding:
    with durable_transaction() as pipeline:
        return safety.services.queue_suspended(pipeline, subject, hours=hours).value


def _ban(subject: AbuseSubjectTag) -> None:
    with durable_transaction() as pipeline:
        safety.services.queue_banned(pipeline, subject)


def _clear(subject: AbuseSubjectTag) -> None:
    with durable_transaction() as pipeline:
        safety.services.queue_cleared(pipeline, subject)


def _purge(*, limit: int = 500) -> int:
    with durable_transaction() as pipeline:
        return safety.services.queue_expired_purged(pipeline, limit=limit).value


def _now() -> datetime:
    moment = read_value("SELECT clock_timestamp()")
    assert isinstance(moment, datetime)
    return moment


def test_whoever_nobody_has_judged_is_clear() -> None:
    assert _standing(_somebody()) == CLEAR
    assert read_rows("SELECT * FROM safety.subject") == []


@pytest.mark.parametrize("hours", [1, 72, LONGEST_SUSPENSION_HOURS])
def test_a_suspension_ends_at_the_next_full_hour(hours: int) -> None:
    subject = _somebody()
    before = _now()
    suspended = _suspend(subject, hours=hours)
    assert suspended == _standing(subject)
    assert suspended.standing is Standing.SUSPENDED
    assert suspended.until is not None
    assert (suspended.until.minute, suspended.until.second, suspended.until.microsecond) == (0, 0, 0)
    assert before + timedelta(hours=hours) <= suspended.until < _now() + timedelta(hours=hours + 1)
    assert read_rows("SELECT subject_tag FROM safety.subject") == [(subject,)]


def test_a_suspension_is_over_by_the_clock_and_then_purged() -> None:
    over, ending = _somebody(), _somebody()
    for subject in (over, ending):
        _suspend(subject, hours=1)
    change_rows("UPDATE safety.subject SET until = now() WHERE subject_tag = %s", [over])
    assert _standing(over) == CLEAR
    assert _standing(ending).standing is Standing.SUSPENDED
    assert (_purge(), _purge()) == (1, 0)
    assert read_rows("SELECT subject_tag FROM safety.subject") == [(ending,)]


def test_a_ban_has_no_end_and_is_never_purged() -> None:
    subject = _somebody()
    for _ in range(2):
        _ban(subject)
    assert _standing(subject) == BANNED
    assert _purge() == 0
    assert read_rows("SELECT standing, until FROM safety.subject") == [("banned", None)]


def test_a_milder_sanction_changes_nothing() -> None:
    subject = _somebody()
    long = _suspend(subject, hours=72)
    assert _suspend(subject, hours=2) == long
    _ban(subject)
    assert _suspend(subject, hours=2) == BANNED
    assert _standing(subject) == BANNED


def test_a_stricter_sanction_replaces_a_milder_one() -> None:
    subject = _somebody()
    short = _suspend(subject, hours=2)
    longer = _suspend(subject, hours=72)
    assert longer.until is not None
    assert short.until is not None
    assert longer.until == short.until + timedelta(hours=70)
    _ban(subject)
    assert _standing(subject) == BANNED


def test_a_suspension_that_is_over_does_not_count_against_a_new_one() -> None:
    subject = _somebody()
    _suspend(subject, hours=72)
    change_rows("UPDATE safety.subject SET until = now() - interval '5 days'")
    renewed = _suspend(subject, hours=1)
    assert renewed.standing is Standing.SUSPENDED
    assert renewed.until is not None
    assert renewed.until > _now()


@pytest.mark.parametrize(
    "sanction", [_ban, lambda subject: _suspend(subject, hours=1)], ids=["ban", "suspend"]
)
def test_clearing_leaves_no_trace_and_touches_nobody_else(
    sanction: Callable[[AbuseSubjectTag], object],
) -> None:
    subject, other = _somebody(), _somebody()
    for one in (subject, other):
        sanction(one)
    for _ in range(2):
        _clear(subject)
    assert _standing(subject) == CLEAR
    assert read_rows("SELECT subject_tag FROM safety.subject") == [(other,)]


def test_a_suspension_without_a_sensible_length_is_refused_before_anything_is_asked() -> None:
    subject = _somebody()
    _ban(subject)
    with pytest.raises(SuspensionOutOfRange):
        _suspend(subject, hours=0)
    assert _standing(subject) == BANNED


WRONG_ROWS: dict[str, LiteralString] = {
    "a suspension without an end": "VALUES ('\\x01'::bytea, 'suspended', NULL)",
    "a ban with an end": "VALUES ('\\x01'::bytea, 'banned', now())",
    "another word": "VALUES ('\\x01'::bytea, 'watched', NULL)",
}


@pytest.mark.parametrize("wrong", WRONG_ROWS)
def test_the_table_refuses(wrong: str) -> None:
    with pytest.raises(IntegrityError, match="subject_only_a_ban_has_no_end"):
        change_rows("INSERT INTO safety.subject (subject_tag, standing, until) " + WRONG_ROWS[wrong])


PLANS: dict[str, tuple[str, ...]] = {
    "as planned": (),
    "nested loops": ("hashjoin", "mergejoin"),
    "nothing kept": ("hashjoin", "mergejoin", "material", "hashagg", "sort"),
}


@pytest.mark.parametrize("plan", PLANS)
def test_a_purge_is_bounded_whatever_the_plan(plan: str) -> None:
    for number in range(7):
        change_rows(
            "INSERT INTO safety.subject VALUES (int4send(%s), 'suspended', now() - interval '1 hour')",
            [number],
        )
    for method in PLANS[plan]:
        change_rows("SELECT set_config(%s, 'off', true)", [f"enable_{method}"])
    assert [_purge(limit=3) for _ in range(4)] == [3, 3, 1, 0]
