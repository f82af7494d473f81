"""Prompts and their way out, questions that wait for a yes, and what is no answer to either."""

from between_two import bob_between_two, fetch_parts, read_inbox
from received import last_words
from town import Town, count

from nekonymous_site.bot import outcome_texts, refusal_texts


def test_the_button_of_a_prompt_closes_its_own_draft_and_no_other(town: Town) -> None:
    bob, _, carol, carols_link, from_alice = bob_between_two(town)
    bob.taps(from_alice, "r:")
    town.settle()
    older = bob.sees()[-1]
    bob.opens(carols_link)
    town.settle()
    newer = bob.sees()[-1]
    stale = bob.taps(older, "k:")
    town.settle()
    assert bob.awaits_toast(stale).text == outcome_texts.prompt_over("en")
    bob.says("for Carol")
    town.settle()
    assert read_inbox(town, carol) == ["for Carol"]
    over = bob.taps(newer, "k:")
    town.settle()
    assert bob.awaits_toast(over).text == outcome_texts.prompt_over("en")


def test_a_prompt_is_cancelled_by_its_button(town: Town) -> None:
    bob, _, _, carols_link, _ = bob_between_two(town)
    bob.opens(carols_link)
    town.settle()
    open_prompt = bob.sees()[-1]
    tap = bob.taps(open_prompt, "k:")
    town.settle()
    assert bob.awaits_toast(tap).text == outcome_texts.cancelled("en")
    assert bob.sees()[-1].text == outcome_texts.cancelled("en")
    bob.says("too late")
    town.settle()
    assert last_words(bob) == outcome_texts.nothing_open("en")


def test_each_of_two_questions_keeps_its_message(town: Town) -> None:
    bob, _, carol, carols_link, _ = bob_between_two(town)
    bob.opens(carols_link)
    for name in ("first.pdf", "second.pdf"):
        bob.sends("document", caption=name, extra={"file_name": name})
    town.settle()
    first, second = (seen for seen in bob.sees() if seen.has_button("y:"))
    bob.taps(first, "y:")
    bob.taps(second, "y:")
    town.settle()
    assert [part.caption for part in fetch_parts(town, carol)] == ["first.pdf", "second.pdf"]
    assert count("accounts.composition") == 0


def test_more_than_twenty_questions_are_too_many_and_that_is_told(town: Town) -> None:
    bob, _, _, carols_link, _ = bob_between_two(town)
    bob.opens(carols_link)
    for _ in range(21):
        bob.sends("document")
    town.settle()
    assert count("accounts.composition") == 20
    assert last_words(bob) == refusal_texts.too_many_questions("en")
    bob.says("/cancel")
    town.settle()
    assert last_words(bob) == outcome_texts.cancelled_waiting("en")
    assert count("accounts.composition") == 0


def test_a_service_note_is_no_nickname(town: Town) -> None:
    bob, _, _, _, from_alice = bob_between_two(town)
    bob.taps(from_alice, "n:")
    town.settle()
    seen_before = len(bob.sees())
    bob.sends("pinned_message")
    town.settle()
    assert [seen for seen in bob.sees()[seen_before:] if seen.from_bot] == []


def test_a_long_part_that_begins_with_a_slash_is_no_command(town: Town) -> None:
    bob, _, carol, carols_link, _ = bob_between_two(town)
    bob.opens(carols_link)
    for part in ("a" * 4000, "/me " + "b" * 3000, "the end"):
        bob.says(part)
    town.settle()
    assert read_inbox(town, carol) == ["a" * 4000, "/me " + "b" * 3000, "the end"]
