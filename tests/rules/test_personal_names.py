"""Names that people choose: shown inside our sentences, they can neither break them nor hide in them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tricky_texts import tricky_texts

from nekonymous_site.bot.graphemes import is_blank, list_graphemes
from nekonymous_site.bot.personal_names import clean_name
from nekonymous_site.bot.utf16 import count_units

ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
FAMILY = "👨\u200d👩\u200d👧\u200d👦"


def _clean(text: str) -> str | None:
    return clean_name(text, most_graphemes=64)


@given(text=tricky_texts(), most=st.integers(1, 64))
def test_cleaning_a_clean_name_changes_nothing(text: str, most: int) -> None:
    once = clean_name(text, most_graphemes=most)
    if once is not None:
        assert clean_name(once, most_graphemes=most) == once


@given(text=tricky_texts(most_pieces=80), most=st.integers(1, 64))
def test_a_name_is_one_short_visible_line(text: str, most: int) -> None:
    name = clean_name(text, most_graphemes=most)
    if name is None:
        return
    assert not is_blank(list_graphemes(name)[0])
    assert len(list_graphemes(name)) <= most
    assert count_units(name) <= 4 * most
    assert name == " ".join(name.split())
    assert not set(name) & set(
        "\0\n\r\x1b\x7f\x85\u061c\u200e\u200f\u202a\u202e\u2028\u2066\u2069\ufeff\u3164"
    )


@pytest.mark.parametrize(
    "name",
    [
        "Sara",
        "سارا",
        "نیک\u200cنام",
        "خانه\u200cها",
        "می\u064fخواهم",
        "مُ\u200cشک",
        FAMILY,
        "👍\U0001f3fd",
        "👩\U0001f3fd\u200d🔬",
        "🏳\ufe0f\u200d🌈",
        "❤\ufe0f",
        "1\ufe0f\u20e3",
        "\U0001f1ee\U0001f1f7",
        ENGLAND,
        "葛\U000e0100城",
        "क्षि",
        "e\u0301",
        "\u06dd۳",
        "\U0001fadf",
        "\ue000",
    ],
)
def test_what_belongs_to_a_name_stays(name: str) -> None:
    assert _clean(name) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  Sara \t\n  K ", "Sara K"),
        ("Sara\u2028\u00a0\u3000K", "Sara K"),
        ("a\x00\x1b[31mb\x85c", "a [31mb c"),
        ("\u202eevil\u202c", "evil"),
        ("\u2066a\u2069\u200eb\u200fc\u061cd\ufeffe", "abcde"),
        ("a\u200bb\u2060c\u00add\u034fe", "abcde"),
        ("\u200cسارا\u200c", "سارا"),
        ("نیک\u200c\u200c\u200cنام", "نیک\u200cنام"),
        ("نیک\u200c نام", "نیک نام"),
        ("a\u200c1\u200d2", "a12"),
        ("ه\u200d.ش", "ه.ش"),
        ("👩\u200d", "👩"),
        ("👩\u200d\u200d🔬", "👩🔬"),
        ("a\ufe0f\ufe0e", "a"),
        ("❤\ufe0f\ufe0f", "❤\ufe0f"),
        ("a\U000e0061\U000e007f", "a"),
        ("🏴\U000e0067", "🏴"),
        ("🏴" + "\U000e0061" * 30 + "\U000e007f", "🏴"),
        ("葛\U000e0100\U000e0101a\U000e0100", "葛\U000e0100a"),
        ("\u0301\u0302a", "a"),
        ("a \u0301\u0302 b", "a b"),
        ("a" + "\u0301" * 50 + "b", "a" + "\u0301" * 4 + "b"),
        ("a\uffff\ufffcb\ud800", "ab"),
        ("a\u3164\uffa0b\u2800c", "ab c"),
    ],
)
def test_what_could_break_a_line_or_hide_goes(text: str, name: str) -> None:
    assert _clean(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "\u200c\u200d",
        "\u0301\u0302",
        " \u0301 \u20e3",
        "\u3164",
        "\u2800",
        "\ufe0f",
        "\U000e0061",
        "\u202e",
    ],
)
def test_a_name_that_shows_nothing_is_none(text: str) -> None:
    assert _clean(text) is None


def test_a_name_is_cut_between_letters() -> None:
    assert clean_name(FAMILY * 5, most_graphemes=10) == FAMILY * 3
    assert clean_name("e\u0301" * 40, most_graphemes=32) == "e\u0301" * 32
    assert clean_name("سارا خانم", most_graphemes=5) == "سارا"
    assert clean_name("نیک\u200cنام", most_graphemes=3) == "نیک"


def test_one_endless_letter_is_no_name() -> None:
    assert clean_name("👩" + "\u200d👩" * 100, most_graphemes=32) is None


@pytest.mark.parametrize(
    "piece",
    [
        "\u200c",
        "\u200d",
        "\u0301",
        "🏴\U000e0061",
        "\U0001f1ee",
        "a\u200c\u200d",
        " \u0301",
        "👩\ufe0f\u200d",
    ],
)
def test_no_name_takes_more_than_its_length(piece: str) -> None:
    begun = time.process_time()
    clean_name("a" + piece * 100_000, most_graphemes=64)
    assert time.process_time() - begun < 10
