"""Lengths and offsets in UTF-16 units, and what counts as one letter or as nothing to see."""

import time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from tricky_texts import tricky_texts

from nekonymous_site.bot.graphemes import is_blank, list_graphemes
from nekonymous_site.bot.utf16 import Utf16Text, count_units

FLAG_LETTER = "\U0001f1ee"


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("", 0),
        ("abc", 3),
        ("سلام\u200cها", 7),
        ("\U0001f331", 2),
        ("👩\u200d🔬", 5),
        ("e\u0301", 2),
        ("\uffff", 1),
    ],
)
def test_telegram_counts_units_and_not_letters(text: str, units: int) -> None:
    assert count_units(text) == units
    assert len(Utf16Text(text)) == units


@given(text=tricky_texts())
def test_a_text_can_be_cut_between_any_two_characters_and_nowhere_else(text: str) -> None:
    whole = Utf16Text(text)
    starts = [count_units(text[:index]) for index in range(len(text) + 1)]
    assert [offset for offset in range(-1, len(whole) + 2) if whole.can_cut_at(offset)] == starts


@given(text=tricky_texts(), data=st.data())
def test_what_is_cut_out_is_what_lies_there(text: str, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    cut = Utf16Text(text).cut(count_units(text[:start]), end=count_units(text[:end]))
    assert cut == text[start:end]


@given(text=tricky_texts())
def test_letters_are_those_of_the_standard(text: str) -> None:
    assert list_graphemes(text) == regex.findall(r"\X", text)


@pytest.mark.parametrize(
    "text",
    [
        FLAG_LETTER * 200_001,
        "\u0600" + FLAG_LETTER * 200_001,
        FLAG_LETTER * 200_001 + "\u0301",
        "👩\u200d" * 100_000,
        "e" + "\u0301" * 200_000,
        "\u1100" * 200_000,
    ],
)
def test_no_text_takes_more_than_its_length(text: str) -> None:
    begun = time.process_time()
    assert "".join(list_graphemes(text)) == text
    # A fraction of a second; in the square of the length it would be more than a minute.
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t \u00a0\u2003", "\u200c\u200d\u2060", "\u3164\uffa0", "\u2800", "\ufeff\u202e", "\ufffc"],
)
def test_what_shows_nothing_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", [".", " \u0301", "\u200cی", "🏴", "\u06dd", "\ue000", "\U0001fadf"])
def test_what_shows_anything_is_not_blank(text: str) -> None:
    assert not is_blank(text)
