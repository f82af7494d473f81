"""A long text in several messages: nothing visible is lost, no letter is torn, and it reads well."""

import time
from collections.abc import Iterable
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from tricky_texts import tricky_texts

from nekonymous_site.bot.graphemes import is_blank, list_graphemes
from nekonymous_site.bot.text_split import split_text
from nekonymous_site.bot.utf16 import Utf16Text, count_units

FAMILY = "👨\u200d👩\u200d👧\u200d👦"


def _parts(text: str, limit_units: int) -> list[str]:
    return [part for part, _ in split_text(text, (), limit_units=limit_units)]


def _visible(text: str) -> str:
    """A text without anything that nobody sees."""
    return "".join(sign for sign in text if not is_blank(sign))


@given(text=tricky_texts(), limit=st.integers(2, 40))
def test_nothing_visible_is_lost_and_every_part_fits_and_shows_something(text: str, limit: int) -> None:
    parts = _parts(text, limit)
    assert _visible("".join(parts)) == _visible(text)
    assert all(count_units(part) <= limit and not is_blank(part) for part in parts)


@given(text=tricky_texts(), limit=st.integers(2, 40))
def test_no_letter_that_fits_is_torn(text: str, limit: int) -> None:
    clusters = list_graphemes(text)
    if any(count_units(cluster) > limit for cluster in clusters):
        return
    ends = {0}
    for cluster in clusters:
        ends.add(max(ends) + len(cluster))
    here = 0
    for part in _parts(text, limit):
        here = text.index(part, here)
        assert {here, here + len(part)} <= ends
        here += len(part)


@given(text=tricky_texts(), limit=st.integers(2, 40))
def test_a_text_that_fits_stays_to_the_letter(text: str, limit: int) -> None:
    if count_units(text) <= limit and not is_blank(text):
        assert _parts(text, limit) == [text]


@pytest.mark.parametrize("text", ["", " \n", "\u200c" * 50, "\u3164"])
def test_what_shows_nothing_has_no_parts(text: str) -> None:
    assert _parts(text, 10) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aaaaaa bb\nc\n\ndd ee", ["aaaaaa bb\nc", "dd ee"]),  # a blank line before all
        ("aaaaaa\nbb cc dd ee", ["aaaaaa", "bb cc dd ee"]),  # then a newline
        ("aaaa bbbb cccc dddd", ["aaaa bbbb", "cccc dddd"]),  # then a blank
        ("aaa\n\nbbbbbbbbbbbbbb", ["aaa\n\nbbbbbbb", "bbbbbbb"]),  # but not in the first half
        ("aaaaaaaaaaaaaaaa", ["aaaaaaaaaaaa", "aaaa"]),
        ("aaaaaaaaaaaa bbbb", ["aaaaaaaaaaaa", "bbbb"]),  # right at the limit
        ("aaaaaaaaaa\u00a0bbb", ["aaaaaaaaaa\u00a0b", "bb"]),  # what is glued is one word
        ("aaaaaaaa\r\n\r\nbbbbbb", ["aaaaaaaa", "bbbbbb"]),
        ("aaaaaaaa:\n\n  bbbbb", ["aaaaaaaa:", "  bbbbb"]),  # a line keeps its indentation
        ("aaaaaaaa" + " " * 30 + "b", ["aaaaaaaa", "b"]),
        ("aaaaaaaaaa" + FAMILY, ["aaaaaaaaaa", FAMILY]),
        (FAMILY * 2, [FAMILY, FAMILY]),
        ("سلام سلام دوست من", ["سلام سلام", "دوست من"]),
    ],
)
def test_a_part_ends_where_a_reader_minds_it_least(text: str, expected: list[str]) -> None:
    assert _parts(text, 12) == expected


def test_a_letter_longer_than_a_message_is_cut_between_code_points() -> None:
    assert _parts("x" + "\u0301" * 9, 4) == ["x" + "\u0301" * 3, "\u0301" * 4, "\u0301" * 2]
    assert _parts(FAMILY, 3) == ["👨\u200d", "👩\u200d", "👧\u200d", "👦"]


def test_a_limit_that_no_character_fits_is_refused() -> None:
    with pytest.raises(ValueError, match="two units"):
        split_text("a", (), limit_units=1)


@st.composite
def _texts_with_entities(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]]]:
    text = draw(tricky_texts())
    places = st.tuples(*[st.integers(0, len(text))] * 2).map(sorted)
    drawn = draw(st.lists(st.tuples(st.sampled_from(["bold", "pre", "spoiler"]), places), max_size=5))
    units = [count_units(text[:index]) for index in range(len(text) + 1)]
    return text, [
        {"type": kind, "offset": units[start], "length": units[end] - units[start]}
        for kind, (start, end) in drawn
        if end > start
    ]


@given(given_text=_texts_with_entities(), limit=st.integers(2, 40))
def test_entities_stay_on_the_same_letters(given_text: tuple[str, list[dict[str, Any]]], limit: int) -> None:
    text, entities = given_text
    for kind in ("bold", "pre", "spoiler"):
        of_kind = [entity for entity in entities if entity["type"] == kind]
        before = _visible_under(text, of_kind)
        after = [_visible_under(part, kept) for part, kept in split_text(text, of_kind, limit_units=limit)]
        assert "".join(after) == before


def _visible_under(text: str, entities: Iterable[dict[str, Any]]) -> str:
    """What is seen of a text under any of the entities; a place outside the text fails."""
    covered: set[int] = set()
    for entity in entities:
        assert entity["length"] > 0
        end = entity["offset"] + entity["length"]
        assert Utf16Text(text).can_cut_at(entity["offset"])
        assert Utf16Text(text).can_cut_at(end)
        covered.update(range(entity["offset"], end))
    offsets = (count_units(text[:index]) for index in range(len(text)))
    return _visible("".join(sign for sign, offset in zip(text, offsets, strict=True) if offset in covered))


def test_an_entity_over_a_cut_goes_on_in_the_next_part() -> None:
    entities = [{"type": "pre", "offset": 2, "length": 9, "language": "python"}]
    assert split_text("🌱 aaa bbb ccc", entities, limit_units=8) == [
        ("🌱 aaa", ({"type": "pre", "offset": 2, "length": 4, "language": "python"},)),
        ("bbb ccc", ({"type": "pre", "offset": 0, "length": 4, "language": "python"},)),
    ]


def test_a_custom_emoji_is_kept_whole_or_not_at_all() -> None:
    whole = {"type": "custom_emoji", "offset": 6, "length": 2, "custom_emoji_id": "1"}
    assert split_text("aaaaa 🌱🌱", [whole], limit_units=6)[1] == ("🌱🌱", (whole | {"offset": 0},))
    torn = {"type": "custom_emoji", "offset": 4, "length": 4, "custom_emoji_id": "1"}
    assert [kept for _, kept in split_text("aaaaa 🌱🌱", [torn], limit_units=6)] == [(), ()]


@pytest.mark.parametrize(
    "text",
    ["a" * 500_000, " " * 500_000 + "a", "\U0001f1ee" * 250_000, "a" + "\u0301" * 500_000, "a \n" * 200_000],
)
def test_splitting_takes_time_in_the_length_alone(text: str) -> None:
    begun = time.process_time()
    parts = split_text(text, [{"type": "bold", "offset": 0, "length": count_units(text)}])
    assert sum(len(regex.sub(r"\s", "", part)) for part, _ in parts) == len(regex.sub(r"\s", "", text))
    assert time.process_time() - begun < 20
