"""An edit that cannot be made, or of which nobody knows: what it stood for is done, and nobody is lost."""

import pytest
from bystanders import pump_beside_others
from contact_steps import bob_hears_from_alice, tap_on
from handmade_taps import tap_on_vanished
from inbox_steps import begin_delivery, fill_inbox, let_a_second_pass
from received import as_it_stands, fetch_one, last_words, list_own_words, list_parts
from settings_steps import go_to, open_settings
from stored_rows import intent_states, read_rows, read_value
from town import Town, count, hurry_lanes

from nekonymous_site.bot import outcome_texts, settings_texts
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.sandbox.people import Person, SeenMessage

EDITS = ("editMessageText", "editMessageReplyMarkup")


def _break_edits(town: Town, person: Person, fault: str, *, times: int = 1) -> None:
    for method in EDITS:
        town.sandbox.inject_fault(fault, method=method, chat_id=person.id, count=times)


def _assert_at_rest(*, reachable: bool = True) -> None:
    assert count("outbox.lane", "due_at IS NOT NULL OR lease_id IS NOT NULL") == 0
    assert count("outbox.intent", "lane_tag IS NOT NULL") == 0
    assert count("accounts.account", "NOT reachable") == (0 if reachable else 1)


@pytest.mark.parametrize("data", ["st:pause:ever", "st:home", "st:language:fa", "st:close"])
def test_a_screen_that_vanished_is_let_go_and_what_was_set_is_set(town: Town, data: str) -> None:
    bob, _ = town.owner()
    tap_on_vanished(town, bob, data)
    assert intent_states("edit") == ["failed"]
    _assert_at_rest()
    assert count("accounts.account", "paused_until IS NOT NULL") == (data == "st:pause:ever")
    language = "fa" if data == "st:language:fa" else "en"
    bob.says("/cancel")
    town.settle()
    assert last_words(bob) == outcome_texts.nothing_to_cancel(language), "what comes behind it arrives"


@pytest.mark.parametrize(("prefix", "table"), [("b:", "accounts.block"), ("n:", "accounts.nickname")])
def test_what_is_done_on_a_vanished_message_is_done(town: Town, prefix: str, table: str) -> None:
    _, bob, _ = bob_hears_from_alice(town)
    data = fetch_one(town, bob).button(prefix).callback_data
    assert data is not None
    tap_on_vanished(town, bob, data)
    bob.says("Pen friend")
    town.settle()
    assert count(table) == 1
    assert intent_states("edit") == ["failed"]
    _assert_at_rest()


def test_an_edit_that_changes_nothing_is_a_success(town: Town) -> None:
    bob, _ = town.owner()
    screen = open_settings(town, bob)
    for _ in range(3):
        screen = go_to(town, bob, screen, "home")
    assert not screen.is_edited
    assert intent_states("edit") == ["sent"] * 3
    _assert_at_rest()


def _pause(town: Town, person: Person) -> SeenMessage:
    """Tap for a pause; the edit is queued, and not yet made."""
    screen = open_settings(town, person)
    person.taps_data(screen, "st:pause:ever")
    town.take_updates()
    return screen


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize(
    "fault",
    [
        *("rate_limited", "rate_limited_without_parameters", "server_error_json", "server_error_html"),
        *("reset_before", "reset_after", "ok_html", "ok_without_result", "unknown_union_in_answer"),
    ],
)
def test_an_edit_is_made_in_the_end_and_is_no_second_message(town: Town, fault: str, times: int) -> None:
    bob, _ = town.owner()
    screen = _pause(town, bob)
    before = len(bob.sees())
    _break_edits(town, bob, fault, times=times)
    town.pump()
    assert "paused until you end the pause" in as_it_stands(bob, screen).text
    assert len(bob.sees()) == before
    assert intent_states("edit") == ["sent"]
    _assert_at_rest()


@pytest.mark.parametrize("fault", ["server_error_json", "reset_before"])
def test_an_edit_that_does_not_get_through_is_let_go(town: Town, fault: str) -> None:
    bob, _ = town.owner()
    screen = _pause(town, bob)
    _break_edits(town, bob, fault, times=5)
    pump_beside_others()
    assert as_it_stands(bob, screen).text == screen.text
    assert read_rows("SELECT state, attempts, body FROM outbox.intent WHERE kind = 'edit'") == [
        ("failed", 5, None)
    ]
    town.sandbox.clear_faults()
    _assert_at_rest()
    assert "paused until you end the pause" in go_to(town, bob, screen, "home").text


def test_a_chat_that_is_not_found_at_an_edit_is_not_given_up(town: Town) -> None:
    bob, _ = town.owner()
    _pause(town, bob)
    _break_edits(town, bob, "chat_not_found")
    town.pump()
    assert intent_states("edit") == ["failed"]
    _assert_at_rest()


def test_somebody_who_left_is_seen_at_an_edit_and_is_back_with_a_word(town: Town) -> None:
    bob, _ = town.owner()
    _pause(town, bob)
    _break_edits(town, bob, "forbidden")
    town.pump()
    assert intent_states("edit") == ["failed"]
    _assert_at_rest(reachable=False)
    bob.says("/cancel")
    town.settle()
    _assert_at_rest()
    assert last_words(bob) == outcome_texts.nothing_to_cancel("en")


def test_a_worker_that_vanishes_at_an_edit_leaves_it_to_another(town: Town) -> None:
    _, bob, _ = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    _break_edits(town, bob, "reset_after")
    assert tap_on(town, bob, message, "b:") == outcome_texts.blocked("en")
    town.pump()
    assert as_it_stands(bob, message).has_button("u:")
    _assert_at_rest()


@pytest.mark.parametrize(("fault", "seen"), [("reset_before", 0), ("reset_after", 1), ("ok_html", 1)])
def test_a_count_of_which_nobody_knows_is_told_anew_at_the_end(town: Town, fault: str, seen: int) -> None:
    bob, _ = fill_inbox(town, ["one", "two", "three"])
    begin_delivery(town, bob)
    town.sandbox.inject_fault(fault, method="sendMessage", chat_id=bob.id)
    for _ in range(6):
        let_a_second_pass()
    assert [part.text for part in list_parts(bob)] == ["one", "two", "three"]
    assert intent_states("progress") == ["failed"]
    words = list_own_words(bob)
    assert words.count(outcome_texts.progress("en", delivered=0, total=3)) == seen
    assert words[-1] == outcome_texts.progress_done("en", delivered=3)
    assert count("outbox.lane", "progress_total IS NOT NULL") == 0
    _assert_at_rest()


@pytest.mark.parametrize(
    "fault", ["rate_limited", "server_error_json", "server_error_html", "ok_html", "reset_after"]
)
def test_a_count_catches_up_after_edits_that_failed(town: Town, fault: str) -> None:
    texts = [f"message {n}" for n in range(12)]
    bob, _ = fill_inbox(town, texts)
    begin_delivery(town, bob)
    let_a_second_pass()
    _break_edits(town, bob, fault, times=2)
    for _ in range(16):
        let_a_second_pass()
    town.pump()
    assert [part.text for part in list_parts(bob)] == texts
    assert list_own_words(bob)[-1] == outcome_texts.progress_done("en", delivered=12)
    assert count("outbox.lane", "progress_total IS NOT NULL") == 0
    _assert_at_rest()


def test_a_count_whose_edits_never_get_through_holds_up_no_message(town: Town) -> None:
    texts = [f"message {n}" for n in range(12)]
    bob, [alice] = fill_inbox(town, texts)
    begin_delivery(town, bob)
    _break_edits(town, bob, "server_error_json", times=100)
    for _ in range(40):
        let_a_second_pass()
    assert [part.text for part in list_parts(bob)] == texts
    town.sandbox.clear_faults()
    town.settle()
    _assert_at_rest()
    alice.taps(alice.sees()[-1], "c:")
    town.settle()
    alice.says("one more")
    town.settle()
    bob.says("/inbox")
    town.settle()
    assert list_own_words(bob)[-1] == outcome_texts.progress_done("en", delivered=1)


def test_a_reader_who_leaves_in_the_middle_gets_the_rest_on_return(town: Town) -> None:
    texts = [f"message {n}" for n in range(4)]
    bob, _ = fill_inbox(town, texts)
    begin_delivery(town, bob)
    let_a_second_pass()
    let_a_second_pass()
    bob.blocks_bot()
    town.settle()
    assert read_value("SELECT count(*) FROM accounts.unread WHERE state = 'waiting'") == 2
    _assert_at_rest(reachable=False)
    bob.unblocks_bot()
    bob.says("/inbox")
    town.settle()
    assert [part.text for part in list_parts(bob)] == texts
    assert list_own_words(bob)[-1] == outcome_texts.progress_done("en", delivered=2)
    assert not [part for part in list_parts(bob) if part.has_button("ir:")]


def test_edits_of_one_person_hold_up_nobody_else(town: Town) -> None:
    bob, _ = town.owner()
    carol, _ = town.owner("Carol")
    _pause(town, bob)
    _break_edits(town, bob, "rate_limited")
    screen = open_settings(town, carol)
    carol.taps_data(screen, "st:pause")
    town.take_updates()
    hurry_lanes()
    pump_due_lanes()
    assert as_it_stands(carol, screen).text == settings_texts.pause_screen("en")
