"""What a person has set: a pause that ends by itself or not, refused kinds, name, language, time zone."""

from datetime import UTC, datetime, timedelta

import pytest
from plane_people import new_account, read_gate
from stored_rows import change_rows, read_rows, read_value

import accounts.selectors
import accounts.services
from accounts import preferences
from accounts.preferences import FOR_EVER, Preferences, ReceiveKind
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import AccountId, ChatId, TelegramUserId
from nekonymous_site.pipeline import durable_transaction

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def _read(account_id: AccountId) -> Preferences:
    with durable_transaction() as pipeline:
        return preferences.queue_preferences(pipeline, account_id).value


def _pause(account_id: AccountId, *, hours: int | None) -> datetime:
    with durable_transaction() as pipeline:
        preferences.queue_paused(pipeline, account_id, hours=hours)
    until = _read(account_id).paused_until
    assert until is not None
    return until


@pytest.mark.parametrize("hours", [1, 8, 24])
def test_a_pause_lasts_as_long_as_was_asked_for_rounded_up_to_a_full_hour(hours: int) -> None:
    bob = new_account()
    until = _pause(bob, hours=hours)
    now = read_value("SELECT now()")
    assert isinstance(now, datetime)
    assert timedelta(0) <= until - (now + hours * HOUR) < HOUR
    assert until.astimezone(UTC) == until.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    assert read_gate(bob).paused


def test_a_pause_until_resumed_never_ends_by_itself_and_can_be_read() -> None:
    bob = new_account()
    assert _pause(bob, hours=None) == FOR_EVER
    assert read_gate(bob).paused
    assert read_value("SELECT paused_until > now() + interval '1000 years' FROM accounts.account") is True


def test_the_last_pause_counts_a_shorter_one_too() -> None:
    bob = new_account()
    _pause(bob, hours=None)
    assert _pause(bob, hours=1) < datetime.now(UTC) + 2 * HOUR


def test_a_pause_that_is_over_is_none() -> None:
    bob = new_account()
    _pause(bob, hours=1)
    change_rows("UPDATE accounts.account SET paused_until = now()")
    assert not read_gate(bob).paused
    assert _read(bob).paused_until is None


@pytest.mark.parametrize("hours", [8, None])
def test_whoever_resumes_takes_messages_again_also_when_they_did_not_pause(hours: int | None) -> None:
    bob, carol = new_account(), new_account()
    _pause(bob, hours=hours)
    _pause(carol, hours=8)
    for _ in range(2):
        with durable_transaction() as pipeline:
            preferences.queue_resumed(pipeline, bob)
        assert not read_gate(bob).paused
    assert read_gate(carol).paused


def test_a_pause_that_has_ended_is_forgotten_and_no_other() -> None:
    """When somebody was away is nobody's business any more."""
    over, open_end, going_on = new_account(), new_account(), new_account()
    for account_id, hours in ((over, 1), (open_end, None), (going_on, 1)):
        _pause(account_id, hours=hours)
    change_rows("UPDATE accounts.account SET paused_until = now() WHERE account_id = %s", [over])
    with durable_transaction() as pipeline:
        assert accounts.services.queue_expired_purged(pipeline, limit=500).value == 0
    rows = read_rows("SELECT account_id FROM accounts.account WHERE paused_until IS NULL")
    assert rows == [(over,)]
    assert all(read_gate(account_id).paused for account_id in (open_end, going_on))


def _toggle(account_id: AccountId, kind: ReceiveKind) -> ReceiveKind:
    with durable_transaction() as pipeline:
        preferences.queue_kind_toggled(pipeline, account_id, kind=kind)
    refused = _read(account_id).refused_kinds
    assert read_gate(account_id).refused_kinds == refused
    return refused


@pytest.mark.parametrize("kind", ReceiveKind)
def test_a_kind_is_refused_and_taken_by_turns_and_leaves_the_others_alone(kind: ReceiveKind) -> None:
    bob = new_account()
    others = ReceiveKind(0)
    assert _read(bob).refused_kinds == others
    for other in set(ReceiveKind) - {kind}:
        others = _toggle(bob, other)
    assert kind not in others
    assert _toggle(bob, kind) == others | kind
    assert _toggle(bob, kind) == others


def test_the_stored_bits_of_the_kinds_never_change() -> None:
    assert {kind.name: kind.value for kind in ReceiveKind} == {
        "TEXT": 1,
        "PHOTO": 2,
        "VIDEO": 4,
        "VOICE": 8,
        "DOCUMENT": 16,
        "STICKER": 32,
    }


def _call(account_id: AccountId, name: str | None) -> None:
    with durable_transaction() as pipeline:
        preferences.queue_display_name(pipeline, account_id, name=name)


def test_a_display_name_is_told_to_whoever_opens_the_link_until_it_is_taken_away() -> None:
    bob = new_account()
    slug = read_value("SELECT slug FROM accounts.public_link")
    for name in (None, "باران 🌧", None):
        _call(bob, name)
        assert _read(bob).display_name == name
        with durable_transaction() as pipeline:
            owner = accounts.selectors.queue_link_owner(pipeline, str(slug)).value
        assert owner is not None
        assert (owner.account_id, owner.display_name()) == (bob, name)


def test_names_lie_sealed_in_one_size_and_one_that_does_not_open_is_none() -> None:
    bob, carol = new_account(), new_account()
    _call(bob, "x")
    _call(carol, "👨‍👩‍👧‍👦" * 20)
    assert read_value("SELECT count(DISTINCT length(display_name)) FROM accounts.account") == 1
    change_rows(
        "UPDATE accounts.account SET display_name = other.display_name FROM accounts.account AS other"
        " WHERE other.account_id <> account.account_id"
    )
    assert [_read(account_id).display_name for account_id in (bob, carol)] == [None, None]
    _call(bob, "another")
    assert _read(bob).display_name == "another"


@pytest.mark.parametrize(("language", "zone"), [("fa", "Asia/Tehran"), ("en", "UTC")])
def test_a_newcomer_begins_with_the_time_zone_of_their_language(language: str, zone: str) -> None:
    with durable_transaction() as pipeline:
        accounts.services.create_account(
            pipeline,
            actor_hash=blind_tags.actor_hash(TelegramUserId(1)),
            chat_id=ChatId(1),
            language=language,
        )
    assert read_rows("SELECT language, time_zone, refused_kinds, paused_until FROM accounts.account") == [
        (language, zone, 0, None)
    ]


def test_language_and_time_zone_are_set_for_one_person() -> None:
    bob, carol = new_account(), new_account()
    with durable_transaction() as pipeline:
        preferences.queue_language(pipeline, bob, language="fa")
        preferences.queue_time_zone(pipeline, bob, time_zone="Asia/Kabul")
    rows = read_rows("SELECT account_id, language, time_zone FROM accounts.account")
    assert set(rows) == {(bob, "fa", "Asia/Kabul"), (carol, "en", "UTC")}
