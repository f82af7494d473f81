"""Sealed rows that cannot be opened here, for now or for good: nothing is lost and nobody else held up."""

import base64
from collections.abc import Callable, Iterator

import pytest
from delivery_scenes import TEXT, ask_for_messages, vanish_while_sending
from django.conf import settings as django_settings
from stored_rows import change_rows, expire_leases, intent_states, read_rows, read_value
from town import Town, count, hurry_lanes

from nekonymous_site import tasks
from nekonymous_site.bot.gathering import end_ready_gatherings
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.crypto import blind_tags, process_keys
from nekonymous_site.crypto.identifiers import TelegramUserId
from nekonymous_site.sandbox.people import Person

REPEAT = "ir:"


def _key(kid: int) -> str:
    secret = base64.urlsafe_b64encode(bytes((kid * 37 + n * 7) % 256 for n in range(32))).decode().rstrip("=")
    return f"{kid}:{secret}"


UseKeys = Callable[..., None]


@pytest.fixture
def use_keys() -> Iterator[UseKeys]:
    """Give this process these keys, the first of which seals."""
    before = process_keys.current()
    pepper = str(django_settings.NEKO.hmac_pepper)

    def use(*kids: int) -> None:
        process_keys.configure(master_keys=",".join(_key(kid) for kid in kids), pepper=pepper)

    use(101)
    yield use
    process_keys._configured.keys = before


def test_a_ticket_under_a_key_of_tomorrow_waits_for_it(town: Town, use_keys: UseKeys) -> None:
    bob, link = town.owner()
    use_keys(102, 101)
    town.writes(town.person("Alice"), link, TEXT)
    town.settle()
    bob.says("/inbox")
    town.take_updates()
    town.pump()
    town.drain()
    for _ in range(12):
        use_keys(101)
        hurry_lanes()
        pump_due_lanes()
    assert read_rows("SELECT state, attempts FROM outbox.intent WHERE kind = 'ticket'") == [("pending", 0)]
    assert count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 1
    use_keys(101, 102)
    town.pump()
    [message] = town.delivered(bob)
    assert not message.has_button(REPEAT)
    assert count("accounts.unread") == 0


def test_a_drain_waits_for_the_key_of_its_rows(town: Town, use_keys: UseKeys) -> None:
    bob, link = town.owner()
    use_keys(102, 101)
    town.writes(town.person("Alice"), link, TEXT)
    town.settle()
    bob.says("/inbox")
    town.take_updates()
    use_keys(101)
    tasks.drain_inboxes()
    assert read_rows("SELECT state, generation FROM accounts.unread") == [("waiting", 0)]
    assert count("accounts.drain_request") == 1, "another process may have the key"
    use_keys(101, 102)
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [TEXT]


def test_what_gathers_waits_for_its_key_and_keeps_no_worker_busy(town: Town, use_keys: UseKeys) -> None:
    bob, link = town.owner()
    use_keys(102, 101)
    alice = town.person("Alice")
    alice.opens(link)
    alice.sends_album([("photo", "one"), ("photo", "two")])
    town.take_updates()
    use_keys(101)
    change_rows("UPDATE accounts.composition SET ready_at = now() - interval '1 second'")
    run = end_ready_gatherings()
    assert run.ended == 0
    assert run.more_after_seconds is None, "a ring without a pause would call the same worker for ever"
    assert count("accounts.composition") == 1, "another process may have the key"
    use_keys(101, 102)
    town.settle()
    bob.says("/inbox")
    town.settle()
    assert len(town.delivered(bob)) == 1


def test_notices_wait_for_the_key_of_an_account(town: Town, use_keys: UseKeys) -> None:
    use_keys(102, 101)
    bob, link = town.owner()
    town.writes(town.person("Alice"), link, TEXT)
    town.settle(notices=False)
    use_keys(101)
    tasks.notify_recipients()
    assert count("accounts.unread", "unnoticed") == 1
    use_keys(101, 102)
    town.settle()
    assert bob.sees()[-1].text.startswith("📬")


def test_what_was_abandoned_under_a_key_of_tomorrow_stops_nobody(town: Town, use_keys: UseKeys) -> None:
    bob = ask_for_messages(town)
    carol, _ = town.owner("Carol")
    use_keys(102, 101)
    bob.says("/help")
    town.take_updates()
    hurry_lanes()
    vanish_while_sending(after_the_call=False)
    change_rows("UPDATE outbox.intent SET attempts = 5 WHERE state = 'sending'")
    use_keys(101)
    expire_leases()
    carol.says("/help")
    town.take_updates()
    town.pump()
    assert "/inbox" in carol.sees()[-1].text
    assert len(town.delivered(bob)) == 1


def test_an_exhausted_ticket_under_a_key_of_tomorrow_waits_and_stops_nobody(
    town: Town, use_keys: UseKeys
) -> None:
    use_keys(102, 101)
    carol, _ = town.owner("Carol")
    bob = ask_for_messages(town)
    vanish_while_sending(after_the_call=False)
    change_rows("UPDATE outbox.intent SET attempts = 5 WHERE state = 'sending'")
    use_keys(101, 103)
    expire_leases()
    carol.says("/help")
    town.take_updates()
    town.pump()
    assert "/inbox" in carol.sees()[-1].text
    assert read_rows("SELECT state FROM accounts.unread") == [("sending",)]
    use_keys(101, 102)
    expire_leases()
    town.settle()
    assert read_rows("SELECT state, generation FROM accounts.unread") == [("waiting", 1)]
    bob.says("/inbox")
    town.settle()
    assert len(town.delivered(bob)) == 1


# A sealed value whose one byte has turned, as on a failing disk: nobody will ever open it again.


def test_a_message_that_is_spoilt_goes_back_and_holds_up_no_other(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    for text in ("spoilt", "second", "third"):
        town.writes(alice, link, text)
        town.settle(notices=False)
        if text == "spoilt":
            change_rows(
                "UPDATE tickets.ticket SET payload = set_byte(payload, 40, 255 - get_byte(payload, 40))"
            )
    bob.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == ["second", "third"]
    assert read_rows("SELECT state, unnoticed FROM accounts.unread") == [("waiting", False)]
    assert count("tickets.ticket", "status = 'sealed' AND payload IS NOT NULL") == 1


def test_an_intent_that_is_spoilt_is_kept_apart_and_holds_up_no_other(town: Town) -> None:
    bob = ask_for_messages(town, messages=3)
    change_rows(
        """
        UPDATE outbox.intent SET body = set_byte(body, 40, 255 - get_byte(body, 40))
        WHERE kind = 'ticket' AND position = (SELECT min(position) FROM outbox.intent WHERE kind = 'ticket')
        """
    )
    town.pump()
    assert [message.text[-1] for message in town.delivered(bob)] == ["1", "2"]
    assert intent_states("ticket") == ["dead", "sent", "sent"]
    assert read_rows("SELECT state FROM accounts.unread") == [("sending",)], "it is nobody's to take away"
    assert count("tickets.ticket", "payload IS NOT NULL") == 1


def _two_with_a_message(town: Town) -> tuple[Person, Person]:
    bob, bobs_link = town.owner()
    carol, carols_link = town.owner("Carol")
    for link in (bobs_link, carols_link):
        town.writes(town.person("Alice"), link, TEXT)
        town.settle(notices=False)
    return bob, carol


def _account_of(person: Person) -> bytes:
    actor_hash = blind_tags.actor_hash(TelegramUserId(person.id))
    account_id = read_value("SELECT account_id FROM accounts.account WHERE actor_hash = %s", [actor_hash])
    assert isinstance(account_id, bytes)
    return account_id


def test_a_row_that_is_spoilt_holds_up_no_other(town: Town) -> None:
    bob, carol = _two_with_a_message(town)
    change_rows(
        """
        UPDATE accounts.unread SET capability = set_byte(capability, 40, 255 - get_byte(capability, 40))
        WHERE account_id = %s
        """,
        [_account_of(bob)],
    )
    _ask_for_messages(town, bob, carol)
    assert [message.text for message in town.delivered(carol)] == [TEXT]
    assert town.delivered(bob) == []
    assert read_rows("SELECT state, attempt_id FROM accounts.unread") == [("waiting", None)]


def _ask_for_messages(town: Town, *people: Person) -> None:
    for person in people:
        person.says("/inbox")
        town.take_updates()
    tasks.drain_inboxes()
    town.pump()


def test_an_account_that_is_spoilt_holds_up_no_notice_and_no_drain(town: Town) -> None:
    bob, carol = _two_with_a_message(town)
    change_rows(
        """
        UPDATE accounts.account SET chat_route = set_byte(chat_route, 40, 255 - get_byte(chat_route, 40))
        WHERE account_id = %s
        """,
        [_account_of(bob)],
    )
    tasks.notify_recipients()
    town.pump()
    assert carol.sees()[-1].text.startswith("📬")
    _ask_for_messages(town, bob, carol)
    assert [message.text for message in town.delivered(carol)] == [TEXT]
    assert read_rows("SELECT state FROM accounts.unread") == [("waiting",)]
