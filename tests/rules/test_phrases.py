"""What texts are made of: languages, numbers, days and times, and what keeps foreign names in their place."""

import unicodedata
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from nekonymous_site.bot import phrases
from nekonymous_site.bot.utf16 import count_units

# Letters of all sorts, and by preference those that steer direction, break lines or join into one sign.
TRICKY = st.text(
    alphabet=st.characters(exclude_categories=["Cs"])
    | st.sampled_from(
        "\u202a\u202e\u2066\u2068\u2069\u200e\u200f\u061c\n\r\u2028\u2029\x85\x1c\u200d\u200c\ufe0f👩🔬é🏳"
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("fa", "fa"),
        ("FA", "fa"),
        ("fa-IR", "fa"),
        ("en", "en"),
        ("en-GB", "en"),
        ("de", "fa"),
        ("pt-br", "fa"),
        ("", "fa"),
        (None, "fa"),
        ("-", "fa"),
        ("../../etc", "fa"),
        ("f" * 10_000, "fa"),
        ("fa_IR", "fa"),
    ],
)
def test_the_language_is_one_that_we_speak(code: str | None, language: str) -> None:
    assert phrases.choose_language(code, default="fa") == language


def test_a_language_is_named_in_itself() -> None:
    assert phrases.language_name("en") == "English"
    assert phrases.language_name("fa") == "فارسی"


@pytest.mark.parametrize(
    ("value", "english", "persian"),
    [(0, "0", "۰"), (12, "12", "۱۲"), (1_234_567_890, "1,234,567,890", "۱٬۲۳۴٬۵۶۷٬۸۹۰")],
)
def test_a_number_is_written_with_the_signs_of_the_language(value: int, english: str, persian: str) -> None:
    assert phrases.number("en", value) == english
    assert phrases.number("fa", value) == persian


@pytest.mark.parametrize(
    ("on", "english", "persian"),
    [
        (date(2026, 11, 30), "30 November 2026", "۹ آذر ۱۴۰۵"),
        (date(2026, 3, 20), "20 March 2026", "۲۹ اسفند ۱۴۰۴"),
        (date(2026, 3, 21), "21 March 2026", "۱ فروردین ۱۴۰۵"),
        (date(2025, 3, 20), "20 March 2025", "۳۰ اسفند ۱۴۰۳"),  # a leap day
        (date(2026, 9, 22), "22 September 2026", "۳۱ شهریور ۱۴۰۵"),
        (date(2000, 2, 29), "29 February 2000", "۱۰ اسفند ۱۳۷۸"),
    ],
)
def test_a_day_follows_the_calendar_of_the_language(on: date, english: str, persian: str) -> None:
    assert phrases.day("en", on) == english
    assert phrases.day("fa", on) == persian


@pytest.mark.parametrize(
    ("zone", "english", "persian"),
    [
        ("UTC", "29 November 2026, 21:50", "۸ آذر ۱۴۰۵، ساعت ۲۱:۵۰"),
        ("Asia/Tehran", "30 November 2026, 01:20", "۹ آذر ۱۴۰۵، ساعت ۰۱:۲۰"),
        ("Asia/Kabul", "30 November 2026, 02:20", "۹ آذر ۱۴۰۵، ساعت ۰۲:۲۰"),
        ("America/Los_Angeles", "29 November 2026, 13:50", "۸ آذر ۱۴۰۵، ساعت ۱۳:۵۰"),
    ],
)
def test_a_moment_is_told_as_it_is_in_the_time_zone(zone: str, english: str, persian: str) -> None:
    at = datetime(2026, 11, 29, 21, 50, tzinfo=UTC)
    assert phrases.moment("en", at, zone=zone) == english
    assert phrases.moment("fa", at, zone=zone) == persian


def test_a_clock_keeps_summer_time_where_there_is_one() -> None:
    winter, summer = (datetime(2026, month, 1, 12, tzinfo=UTC) for month in (1, 7))
    told = [phrases.clock("fa", at, zone="Europe/Berlin") for at in (winter, summer)]
    assert told == ["۱۳:۰۰", "۱۴:۰۰"]
    assert {phrases.clock("en", at, zone="Asia/Tehran") for at in (winter, summer)} == {"15:30"}


def test_a_moment_is_the_same_from_whichever_zone_it_comes() -> None:
    at = datetime(2026, 11, 30, 1, 20, tzinfo=ZoneInfo("Asia/Tehran"))
    assert phrases.clock("en", at, zone="UTC") == "21:50"


def test_several_words_become_one_part_of_a_sentence() -> None:
    assert phrases.enumerate_words("en", ["photos"]) == "photos"
    assert phrases.enumerate_words("en", ["photos", "texts", "stickers"]) == "photos, texts, and stickers"
    assert phrases.enumerate_words("fa", ["عکس", "متن"]) == "عکس و متن"


@given(text=TRICKY)
def test_nothing_gets_out_of_an_isolate(text: str) -> None:
    isolated = phrases.isolate(text)
    inside = isolated[1:-1]
    assert (isolated[0], isolated[-1]) == ("\u2068", "\u2069")
    # By UAX 9: these end a paragraph, and with it every isolate, or open and close embeddings.
    classes = {unicodedata.bidirectional(letter) for letter in inside}
    assert classes.isdisjoint({"B", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
    assert "\n" not in inside


@pytest.mark.parametrize("text", ["Alex", "می‌خواهم", "👩‍🔬", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "{name} %s"])
def test_an_ordinary_name_stays_as_it_is_in_its_isolate(text: str) -> None:
    assert phrases.isolate(text) == f"\u2068{text}\u2069"


@given(text=TRICKY, most_units=st.integers(min_value=1, max_value=60))
def test_a_shortened_text_fits_and_no_sign_of_it_is_cut(text: str, most_units: int) -> None:
    short = phrases.shorten(text, most_units=most_units)
    assert count_units(short) <= most_units
    if short == text:
        return
    kept = short.removesuffix("…")
    graphemes = regex.findall(r"\X", text)
    assert kept in {"".join(graphemes[:count]).rstrip() for count in range(len(graphemes))}


@given(text=TRICKY)
def test_a_text_that_fits_is_not_shortened(text: str) -> None:
    assert phrases.shorten(text, most_units=max(1, count_units(text))) == text


def test_a_shortened_text_keeps_as_much_as_fits() -> None:
    assert phrases.shorten("abcdef", most_units=5) == "abcd…"
    assert phrases.shorten("ab👩‍🔬cd", most_units=8) == "ab👩‍🔬…"
    assert phrases.shorten("ab👩‍🔬cd", most_units=7) == "ab…"
    assert phrases.shorten("ab cdef", most_units=4) == "ab…"


def test_words_in_a_row_have_no_comma_before_the_persian_and() -> None:
    assert phrases.enumerate_words("fa", ["عکس", "متن", "استیکر"]).endswith("متن و استیکر")
