"""Blocking whoever wrote, without knowing who it is, and lifting it again: one by one or all at once."""

from contact_steps import bob_hears_from_alice, give_nickname, tap_on
from received import as_it_stands, fetch, fetch_one, last_words
from settings_steps import go_to, open_settings
from town import Town, count

from nekonymous_site.bot import button_texts, outcome_texts, settings_texts
from nekonymous_site.sandbox.people import Person, SeenMessage


def test_a_block_turns_its_button_each_time_and_succeeds_again(town: Town) -> None:
    _, bob, _ = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    old = [one.callback_data for one in message.buttons]
    for _ in range(2):
        assert tap_on(town, bob, message, "b:") == outcome_texts.blocked("en")
        assert as_it_stands(bob, message).has_button("u:")
        assert not as_it_stands(bob, message).has_button("b:")
        again = bob.taps_data(message, message.button("b:").callback_data or "")
        town.settle()
        assert bob.awaits_toast(again).text == outcome_texts.blocked("en")
        assert count("accounts.block") == 1
        assert tap_on(town, bob, message, "u:") == outcome_texts.unblocked("en")
        assert [one.callback_data for one in as_it_stands(bob, message).buttons] == old
    assert count("accounts.block") == 0


def test_what_a_blocked_person_sent_before_is_not_delivered(town: Town) -> None:
    alice, bob, link = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    for text in ("second", "third"):
        town.writes(alice, link, text)
    town.writes(town.person("Carol"), link, "from Carol")
    tap_on(town, bob, message, "b:")
    assert [part.text for part in fetch(town, bob)] == ["from Carol"]
    assert count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 0
    tap_on(town, bob, message, "u:")
    assert fetch(town, bob) == []
    town.writes(alice, link, "after all")
    town.settle()
    assert fetch_one(town, bob).text == "after all"


def test_whoever_is_blocked_hears_the_neutral_answer_and_can_be_answered_no_more(town: Town) -> None:
    alice, bob, link = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    bob.says("an answer", reply_to=message)
    tap_on(town, bob, message, "b:")
    answer = fetch_one(town, alice)
    for act in ("link", "gesture"):
        if act == "link":
            town.writes(alice, link, "blocked?")
        else:
            alice.says("blocked?", reply_to=answer)
        town.settle()
        assert last_words(alice) == outcome_texts.not_taking("en")
    assert fetch(town, bob) == []


def _bob_blocks(town: Town, number: int) -> Person:
    bob, link = town.owner()
    for n in range(number):
        town.writes(town.person(f"P{n}"), link, f"no {n}")
    town.settle()
    for message in fetch(town, bob):
        bob.taps(message, "b:")
    town.settle()
    assert count("accounts.block") == number
    return bob


def _labels(screen: SeenMessage) -> list[str]:
    return [one.text for one in screen.buttons if (one.callback_data or "").startswith("st:lift:")]


def test_the_list_of_blocks_is_paged_and_each_stands_in_it_once(town: Town) -> None:
    bob = _bob_blocks(town, 18)
    screen = go_to(town, bob, open_settings(town, bob), "blocks")
    assert screen.text == settings_texts.blocks_screen("en", count=18, page=1, pages=3)
    seen = _labels(screen)
    for page in (2, 3):
        bob.taps(screen, button_texts.next_page("en"))
        town.settle()
        screen = as_it_stands(bob, screen)
        assert screen.text == settings_texts.blocks_screen("en", count=18, page=page, pages=3)
        seen += _labels(screen)
    assert len(set(seen)) == 18
    assert not screen.has_button(button_texts.next_page("en"))
    bob.taps(screen, button_texts.previous_page("en"))
    town.settle()
    assert _labels(as_it_stands(bob, screen)) == seen[8:16]


def test_blocks_are_lifted_one_by_one_and_the_page_shrinks(town: Town) -> None:
    bob = _bob_blocks(town, 9)
    screen = go_to(town, bob, open_settings(town, bob), "blocks:1")
    [last] = _labels(screen)
    assert tap_on(town, bob, screen, last) == settings_texts.block_lifted("en")
    assert len(_labels(as_it_stands(bob, screen))) == 8
    first = as_it_stands(bob, screen).button("st:lift:")
    assert first.callback_data is not None
    for _ in range(2):
        bob.taps_data(screen, first.callback_data)
        town.settle()
    assert len(_labels(as_it_stands(bob, screen))) == count("accounts.block") == 7


def test_all_blocks_are_lifted_at_once_after_a_yes(town: Town) -> None:
    bob = _bob_blocks(town, 3)
    screen = go_to(town, bob, open_settings(town, bob), "blocks")
    bob.taps(screen, button_texts.lift_all("en"))
    town.settle()
    assert as_it_stands(bob, screen).text == settings_texts.lift_all_question("en", count=3)
    bob.taps(as_it_stands(bob, screen), button_texts.no("en"))
    town.settle()
    assert len(_labels(as_it_stands(bob, screen))) == count("accounts.block") == 3
    bob.taps(as_it_stands(bob, screen), button_texts.lift_all("en"))
    town.settle()
    assert tap_on(town, bob, screen, button_texts.yes("en")) == settings_texts.blocks_lifted("en")
    assert as_it_stands(bob, screen).text == settings_texts.blocks_empty("en")
    assert count("accounts.block") == 0


def test_a_block_is_listed_by_the_nickname_or_else_by_a_number(town: Town) -> None:
    _, bob, _ = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    explained = tap_on(town, bob, message, "i:")
    tap_on(town, bob, message, "b:")
    [label] = _labels(go_to(town, bob, open_settings(town, bob), "blocks"))
    number = label.partition("#")[2].partition("\u2069")[0]
    assert number
    assert f"#{number}" in explained
    give_nickname(town, bob, message, "Pen friend")
    [label] = _labels(go_to(town, bob, open_settings(town, bob), "blocks"))
    assert label.startswith("\u2068Pen friend\u2069")


def test_a_lifted_block_lets_the_person_write_again(town: Town) -> None:
    alice, bob, link = bob_hears_from_alice(town)
    tap_on(town, bob, fetch_one(town, bob), "b:")
    screen = go_to(town, bob, open_settings(town, bob), "blocks")
    bob.taps(screen, "st:lift:")
    town.settle()
    town.writes(alice, link, "again")
    town.settle()
    assert fetch_one(town, bob).text == "again"


def test_nobody_can_lift_somebody_elses_block(town: Town) -> None:
    bob = _bob_blocks(town, 1)
    mallory, _ = town.owner("Mallory")
    data = go_to(town, bob, open_settings(town, bob), "blocks").button("st:lift:").callback_data
    assert data is not None
    mallory.taps_data(mallory.sees()[-1], data)
    town.settle()
    assert count("accounts.block") == 1
