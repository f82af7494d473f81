"""What waits is announced, brought in order by one press, and counted in one message that changes."""

import pytest
from inbox_steps import begin_delivery, fill_inbox, let_a_second_pass
from received import last_words, list_own_words, list_parts
from stored_rows import change_rows
from town import Town, count

import outbox.progress
from nekonymous_site.bot import outcome_texts
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import ChatId
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.sandbox.people import Person, SeenMessage


def _texts(number: int) -> list[str]:
    return [f"message {n}" for n in range(number)]


def _received(person: Person) -> list[str]:
    return [part.text for part in list_parts(person)]


def _progress_message(person: Person) -> SeenMessage:
    """The one message of the bot that has the last progress."""
    return [message for message in person.sees() if message.from_bot and message.text.startswith("📬")][-1]


def test_fifty_messages_of_several_people_come_in_order_from_one_press(town: Town) -> None:
    bob, _ = fill_inbox(town, _texts(50), senders=7)
    begin_delivery(town, bob)
    town.sandbox.forget_calls()
    for _ in range(60):
        let_a_second_pass()
    assert _received(bob) == _texts(50)
    assert count("accounts.unread") == count("outbox.intent", "lane_tag IS NOT NULL") == 0
    calls = [call for call in town.sandbox.calls() if call["method"] != "getUpdates"]
    kinds: list[str] = [
        "delivery" if call["params"].get("protect_content") else call["method"] for call in calls
    ]
    stretches = " ".join(kinds).split("editMessageText")
    assert kinds[0] == "sendMessage", "the count begins before the first delivery"
    assert all(stretch.count("delivery") >= 5 for stretch in stretches[1:-2]), "at most one edit in 5 seconds"
    assert 5 <= len(stretches) - 1 <= 11
    edits = [call["params"]["text"] for call in calls if call["method"] == "editMessageText"]
    counted = [outcome_texts.progress("en", delivered=n, total=50) for n in range(51)]
    places = [counted.index(text) for text in edits[:-1]]
    assert places == sorted(places)
    assert edits[-1] == outcome_texts.progress_done("en", delivered=50)
    assert kinds.count("sendMessage") == 1, "one message is changed, none is added"
    assert _progress_message(bob).is_edited


def test_who_asks_for_nothing_is_told_so(town: Town) -> None:
    bob, _ = town.owner()
    bob.says("/inbox")
    town.settle()
    assert last_words(bob) == outcome_texts.inbox_empty("en")
    assert count("accounts.drain_request") == 0


def test_a_second_press_joins_the_delivery_that_goes_on(town: Town) -> None:
    bob, [alice] = fill_inbox(town, _texts(4))
    link = _link_of(town, bob)
    begin_delivery(town, bob)
    let_a_second_pass()
    for text in ("message 4", "message 5"):
        town.writes(alice, link, text)
    bob.says("/inbox")
    town.take_updates()
    let_a_second_pass()
    assert outcome_texts.already_coming("en", count=5) in list_own_words(bob)
    town.settle()
    assert _received(bob) == _texts(6)
    done = outcome_texts.progress_done("en", delivered=6)
    assert list_own_words(bob).count(done) == 1, "it was counted as one"


def _link_of(town: Town, person: Person) -> str:
    person.says("/link")
    town.settle()
    link = person.sees()[-1].find_start_link()
    assert link is not None
    return link


def test_a_second_tap_brings_nothing_twice(town: Town) -> None:
    bob, _ = fill_inbox(town, _texts(3))
    notice = bob.sees()[-1]
    taps = [bob.taps(notice, "ib:") for _ in range(3)]
    town.settle()
    assert _received(bob) == _texts(3)
    assert bob.awaits_toast(taps[-1]).text == outcome_texts.already_coming("en", count=3)
    assert list_own_words(bob).count(outcome_texts.progress_done("en", delivered=3)) == 1


def _withdraw_all(town: Town, person: Person) -> None:
    for message in person.sees():
        if message.has_button("w:"):
            person.taps(message, "w:")
    town.take_updates()


@pytest.mark.parametrize("drained", [True, False])
def test_what_was_withdrawn_meanwhile_ends_the_count_as_an_empty_inbox(town: Town, *, drained: bool) -> None:
    bob, [alice] = fill_inbox(town, _texts(2))
    if drained:
        begin_delivery(town, bob)
    else:
        bob.says("/inbox")
        town.take_updates()
    _withdraw_all(town, alice)
    town.settle()
    assert _received(bob) == []
    assert last_words(bob) == outcome_texts.inbox_empty("en")
    assert bob.sees()[-1].is_edited
    assert count("accounts.unread") == count("outbox.intent", "lane_tag IS NOT NULL") == 0
    assert count("outbox.lane", "progress_total IS NOT NULL") == 0


def test_what_cannot_be_shown_is_still_waiting_at_the_end(town: Town) -> None:
    bob, _ = fill_inbox(town, _texts(3))
    change_rows(
        """
        UPDATE tickets.ticket SET payload = set_byte(payload, 40, 255 - get_byte(payload, 40))
        WHERE ticket_hash = (SELECT min(ticket_hash) FROM tickets.ticket)
        """
    )
    begin_delivery(town, bob)
    town.settle()
    assert len(_received(bob)) == 2
    assert _progress_message(bob).text == outcome_texts.progress_left("en", delivered=2, left=1)


def test_a_count_whose_message_was_deleted_disturbs_nothing(town: Town) -> None:
    bob, [alice] = fill_inbox(town, _texts(8))
    link = _link_of(town, bob)
    begin_delivery(town, bob)
    let_a_second_pass()
    with durable_transaction() as pipeline:
        # Whoever deletes a message leaves an id behind that is nobody's; the bot is not told.
        lane_tag = blind_tags.lane_tag(ChatId(bob.id))
        live = outbox.progress.queue_progress(pipeline, lane_tag).value
        assert live is not None
        outbox.progress.queue_progress_shown(
            pipeline, lane_tag, progress_id=live.progress_id, message_id=987_654
        )
    for _ in range(12):
        let_a_second_pass()
    assert _received(bob) == _texts(8)
    assert count("accounts.account", "NOT reachable") == 0
    assert count("outbox.lane", "progress_total IS NOT NULL OR due_at IS NOT NULL") == 0
    town.writes(alice, link, "one more")
    town.settle()
    bob.says("/inbox")
    town.settle()
    assert _progress_message(bob).text == outcome_texts.progress_done("en", delivered=1)


def test_the_count_speaks_the_language_of_its_reader(town: Town) -> None:
    bob = town.person("Bob", "fa")
    bob.says("/start")
    town.settle()
    link = bob.sees()[-1].find_start_link()
    assert link is not None
    for text in _texts(12):
        town.writes(town.person("Alice"), link, text)
    town.settle()
    assert last_words(bob) == outcome_texts.notice("fa", count=12)
    bob.says("/inbox")
    town.settle()
    assert _progress_message(bob).text == outcome_texts.progress_done("fa", delivered=12)
    assert "۱۲" in _progress_message(bob).text


def test_a_new_press_after_the_end_begins_a_new_count(town: Town) -> None:
    bob, [alice] = fill_inbox(town, _texts(1))
    link = _link_of(town, bob)
    for number in (1, 2):
        bob.says("/inbox")
        town.settle()
        assert list_own_words(bob).count(outcome_texts.progress_done("en", delivered=1)) == number
        town.writes(alice, link, "more")
        town.settle()


def test_a_notice_counts_what_waits_when_it_is_sent(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    town.writes(alice, link, "one")
    town.take_updates()
    assert town.notify() == 1
    town.writes(alice, link, "two")
    town.writes(alice, link, "three")
    town.settle()
    assert [text for text in list_own_words(bob) if text.startswith("📬")] == [
        outcome_texts.notice("en", count=3)
    ]


def test_a_notice_of_what_was_withdrawn_is_not_sent(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    town.writes(alice, link, "one")
    town.settle(notices=False)
    assert town.notify() == 1
    _withdraw_all(town, alice)
    before = len(bob.sees())
    town.settle()
    assert len(bob.sees()) == before
    assert count("accounts.unread") == 0


def test_taps_stay_quick_while_many_messages_come(town: Town) -> None:
    bob, _ = fill_inbox(town, _texts(20))
    begin_delivery(town, bob)
    let_a_second_pass()
    bob.says("/help")
    town.take_updates()
    let_a_second_pass()
    assert any("/privacy" in text for text in list_own_words(bob))
    assert len(_received(bob)) == 2


@pytest.mark.parametrize("fault", [None, "rate_limited"])
def test_a_press_before_the_last_edit_of_the_one_before_leaves_no_count_standing(
    town: Town, fault: str | None
) -> None:
    bob, [alice] = fill_inbox(town, _texts(1))
    link = _link_of(town, bob)
    begin_delivery(town, bob)
    if fault:
        town.sandbox.inject_fault(fault, method="editMessageText", chat_id=bob.id, retry_after_seconds=60)
    let_a_second_pass()
    first = _progress_message(bob)
    alice.opens(link)
    alice.says("two")
    bob.says("/inbox")
    town.settle()
    counts = [seen.text for seen in bob.sees() if seen.from_bot and seen.is_edited]
    assert counts == [outcome_texts.progress_done("en", delivered=1)] * 2
    assert _progress_message(bob).message_id != first.message_id
    assert count("outbox.lane", "progress_total IS NOT NULL") == 0
