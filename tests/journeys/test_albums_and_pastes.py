"""What comes in several updates and is one message: albums, and long texts that a client has cut."""

import pytest
from contact_steps import alice_writes_to_bob
from received import fetch, fetch_one, last_words, list_own_words, with_buttons
from several_parts import LONG, assert_is_album, count_acknowledgements, files_of, make_paste
from town import Town, count

from nekonymous_site.bot import outcome_texts, refusal_texts
from nekonymous_site.sandbox.people import Person


@pytest.mark.parametrize("number", range(2, 11))
def test_an_album_is_one_message_in_order(town: Town, number: int) -> None:
    alice, bob = alice_writes_to_bob(town)
    kinds = ["photo", "video"] * 5
    files = files_of(alice, alice.sends_album([(kind, f"no {n}") for n, kind in enumerate(kinds[:number])]))
    town.settle()
    assert count("tickets.ticket") == count_acknowledgements(alice) == 1
    assert last_words(bob) == outcome_texts.notice("en", count=1)
    parts = fetch(town, bob)
    assert_is_album(parts, files)
    assert [part.caption for part in parts[:-1]] == [f"no {n}" for n in range(number)]
    assert count("accounts.unread") == count("accounts.composition") == 0


def test_spoilers_and_captions_above_survive_in_an_album(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.sends_album([("photo", "first"), ("photo", "")], spoiler=True)
    town.settle()
    assert [part.has_spoiler for part in fetch(town, bob)] == [True, True, False]
    alice.taps(alice.sees()[-1], "c:")
    town.settle()
    alice.sends_album([("photo", "first"), ("video", "second")], caption_above=True)
    town.settle()
    assert [part.show_caption_above_media for part in fetch(town, bob)] == [True, True, False]


@pytest.mark.parametrize("kind", ["document", "audio"])
def test_an_album_of_files_is_asked_about_once_and_stays_an_album(town: Town, kind: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    files = files_of(alice, alice.sends_album([(kind, ""), (kind, "the last")]))
    town.settle()
    assert count("tickets.ticket") == 0
    question = alice.sees()[-1]
    alice.taps(question, "y:")
    town.settle()
    assert count("tickets.ticket") == 1
    assert_is_album(fetch(town, bob), files)


def test_an_item_that_comes_alone_is_an_ordinary_message(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.sends("photo", extra_fields={"media_group_id": "4711"})
    town.take_updates()
    assert count("tickets.ticket") == 0, "more may follow"
    town.settle()
    arrived = fetch_one(town, bob)
    assert arrived.media_group_id is None
    assert arrived.has_button("r:")


def _send_items(person: Person, *, number: int) -> list[str | None]:
    """Send more items of one album than Telegram's own apps do."""
    sent = [person.sends("photo", extra_fields={"media_group_id": "4711"}) for _ in range(number)]
    return files_of(person, tuple(sent))


def test_ten_items_wait_for_no_eleventh(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    files = _send_items(alice, number=10)
    town.take_updates()
    assert count("tickets.ticket") == 1
    town.settle()
    assert_is_album(fetch(town, bob), files)


def test_what_is_more_than_ten_is_not_sent_without_a_word(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    files = _send_items(alice, number=12)
    town.settle()
    assert count("tickets.ticket") == 1
    assert_is_album(fetch(town, bob), files[:10])
    assert list_own_words(alice).count(outcome_texts.nothing_open("en")) == 1, "once for an album"


def test_a_late_item_after_the_end_finds_the_draft_closed(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    _send_items(alice, number=3)
    town.settle()
    _send_items(alice, number=1)
    town.settle()
    assert last_words(alice) == outcome_texts.nothing_open("en")
    assert len(fetch(town, bob)) == 4


@pytest.mark.parametrize("act", ["/help", "🔗 My link", "📬 صندوق من"])
def test_what_is_pressed_behind_an_album_comes_after_it(town: Town, act: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    files = files_of(alice, alice.sends_album([("photo", ""), ("photo", "")]))
    alice.says(act)
    town.settle()
    assert count("tickets.ticket") == count_acknowledgements(alice) == 1
    assert_is_album(fetch(town, bob), files)


def test_a_text_behind_an_album_is_no_part_of_it(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    files = files_of(alice, alice.sends_album([("photo", ""), ("photo", "")]))
    alice.says("and a word")
    town.settle()
    assert last_words(alice) == outcome_texts.nothing_open("en")
    assert_is_album(fetch(town, bob), files)


def test_two_albums_in_a_row_are_two(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    files = []
    for _ in range(2):
        alice.opens(link)
        files.append(files_of(alice, alice.sends_album([("photo", ""), ("video", "")])))
    town.settle()
    parts = fetch(town, bob)
    assert_is_album(parts[:3], files[0])
    assert_is_album(parts[3:], files[1])


def test_a_tap_behind_an_album_comes_after_it(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.says("first")
    town.settle()
    acknowledged = alice.sees()[-1]
    alice.taps(acknowledged, "c:")
    town.settle()
    files = files_of(alice, alice.sends_album([("photo", ""), ("photo", "")]))
    alice.taps(acknowledged, "c:")
    town.settle()
    alice.says("third")
    town.settle()
    first, *album, third = fetch(town, bob)
    assert (first.text, third.text) == ("first", "third")
    assert_is_album(album, files)


def test_an_album_of_ten_is_whole_whatever_its_caption(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    caption = "ب" * 1500
    files = files_of(alice, alice.sends_album([("photo", caption), *[("photo", "")] * 9]))
    town.settle()
    parts = fetch(town, bob)
    assert [part.file_unique_id for part in parts if part.kind == "photo"] == files
    assert caption in [part.text for part in parts]
    assert last_words(alice) == outcome_texts.accepted("en")


def test_captions_that_are_too_long_part_no_album(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    caption = "ب" * 1500
    files = files_of(alice, alice.sends_album([("photo", caption), ("photo", ""), ("photo", "short")]))
    town.settle()
    parts = fetch(town, bob)
    assert [part.file_unique_id for part in parts if part.kind == "photo"] == files
    assert len({part.media_group_id for part in parts if part.kind == "photo"}) == 1
    assert caption in [part.text for part in parts]
    assert with_buttons(parts) == [False] * (len(parts) - 1) + [True]


@pytest.mark.parametrize("lengths", [(4000, 4000, 100), (4000, 4000, 3000), (4096, 10), (4095, 4095, 4095)])
def test_a_paste_is_one_message_in_order(town: Town, lengths: tuple[int, ...]) -> None:
    alice, bob = alice_writes_to_bob(town)
    text = make_paste(*lengths)
    sent = alice.pastes(text)
    assert len(sent) == len(lengths)
    town.settle()
    assert count("tickets.ticket") == count_acknowledgements(alice) == 1
    assert last_words(bob) == outcome_texts.notice("en", count=1)
    parts = fetch(town, bob)
    assert [part.text for part in parts] == text.split("\n")
    assert with_buttons(parts) == [False] * (len(lengths) - 1) + [True]


def test_a_short_last_part_ends_a_paste_at_once(town: Town) -> None:
    alice, _ = alice_writes_to_bob(town)
    alice.pastes(make_paste(4000, 4000, 100))
    town.take_updates()
    assert count("tickets.ticket") == 1
    assert count("accounts.composition") == 0


@pytest.mark.parametrize("last", [4000, 100])
def test_of_a_paste_of_more_than_ten_parts_nothing_is_sent_and_that_is_told_once(
    town: Town, last: int
) -> None:
    """A letter that arrives without its end would be worse than none."""
    alice, bob = alice_writes_to_bob(town)
    alice.pastes(make_paste(*[4000] * 11, last))
    town.settle()
    assert fetch(town, bob) == []
    assert last_words(alice) == refusal_texts.too_long("en")
    assert list_own_words(alice).count(refusal_texts.too_long("en")) == 1
    assert count("accounts.composition") == 0
    assert count("accounts.draft") == 1, "it can still be said shorter"


def test_a_last_part_that_grows_beyond_ten_is_too_long_as_well(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    for _ in range(9):
        alice.says(LONG)
    link = {"type": "text_link", "offset": 0, "length": 4, "url": "https://example.org/" + "a" * 2000}
    alice.says(LONG, entities=[link])
    town.settle()
    assert fetch(town, bob) == []
    assert last_words(alice) == refusal_texts.too_long("en")


def test_an_album_to_nobody_is_answered_once(town: Town) -> None:
    alice = town.person("Alice")
    alice.says("/start")
    alice.sends_album([("photo", "")] * 5)
    alice.sends_album([("photo", "")] * 2)
    town.settle()
    assert list_own_words(alice).count(outcome_texts.nothing_open("en")) == 2


def test_one_text_that_would_be_more_than_ten_is_refused(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.says("x", extra_fields={"text": "x" * 41_000})
    town.settle()
    assert last_words(alice) == refusal_texts.too_long("en")
    assert fetch(town, bob) == []
    assert count("accounts.draft") == 1


@pytest.mark.parametrize("by", ["command", "button"])
@pytest.mark.parametrize("kind", ["album", "text"])
def test_what_gathers_is_thrown_away_by_cancel_and_not_sent(town: Town, kind: str, by: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    town.settle()
    prompt = alice.sees()[-1]
    if kind == "album":
        alice.sends_album([("photo", ""), ("photo", "")])
    else:
        alice.says(LONG)
    if by == "command":
        alice.says("/cancel")
    else:
        alice.taps(prompt, "k:")
    town.settle()
    assert outcome_texts.cancelled("en") in [seen.text for seen in alice.sees()]
    assert count("tickets.ticket") == count("accounts.composition") == count("accounts.draft") == 0
    assert fetch(town, bob) == []


@pytest.mark.parametrize("act", ["/help", "⚙️ Settings"])
def test_what_is_pressed_behind_a_long_text_comes_after_it(town: Town, act: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.says(LONG)
    alice.says(act)
    town.settle()
    assert fetch_one(town, bob).text == LONG.strip()
    assert count("tickets.ticket") == 1


def test_a_picture_behind_a_long_text_is_no_part_of_it(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.says(LONG)
    alice.sends("photo")
    town.settle()
    assert last_words(alice) == outcome_texts.nothing_open("en")
    assert [part.kind for part in fetch(town, bob)] == ["text"]


@pytest.mark.parametrize("act", ["album", "text"])
def test_what_gathers_for_a_link_that_is_gone_meanwhile_is_answered(town: Town, act: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    bob.says("/settings")
    town.settle()
    bob.taps_data(bob.sees()[-1], "st:pause:ever")
    town.settle()
    if act == "album":
        alice.sends_album([("photo", ""), ("photo", "")])
    else:
        alice.says(LONG)
    town.settle()
    assert last_words(alice) == outcome_texts.not_taking("en")
    assert count("tickets.ticket") == count("accounts.composition") == 0
