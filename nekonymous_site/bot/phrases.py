"""What every text is made of: its language, numbers, dates and times, and what somebody else wrote."""

from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

import jdatetime
from babel import Locale
from babel.dates import format_date
from babel.lists import format_list
from babel.numbers import format_decimal

from nekonymous_site.bot.catalogues import languages, translate
from nekonymous_site.bot.graphemes import list_graphemes
from nekonymous_site.bot.utf16 import count_units

_PERSIAN_DIGITS: Final = str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")
_ISOLATE: Final = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"
# A line break ends every isolate, and what steers direction could end or overrule it.
_BREAKS: Final = dict.fromkeys(map(ord, "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")
_STEERING: Final = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def choose_language(language_code: str | None, *, default: str) -> str:
    """Follow Telegram's own setting where there is a catalogue."""
    wanted = (language_code or "").partition("-")[0].lower()
    return wanted if wanted in languages() else default


def language_name(language: str) -> str:
    """Name a language in itself."""
    return Locale.parse(language).get_display_name(language) or language


def number(language: str, value: int) -> str:
    """Write a whole number in groups of three, with the signs and digits of the language."""
    return _own_digits(language, format_decimal(value, locale=language, numbering_system="default"))


def day(language: str, on: date) -> str:
    """Write a day: in Persian by the Jalali calendar."""
    if language != "fa":
        return format_date(on, "d MMMM y", locale=language)
    jalali = jdatetime.date.fromgregorian(date=on)
    month = jdatetime.date.j_months_fa[jalali.month - 1]
    return _own_digits(language, f"{jalali.day} {month} {jalali.year}")


def clock(language: str, at: datetime, *, zone: str) -> str:
    """Write the clock time, in 24 hours, that an aware moment has in an IANA time zone."""
    return _own_digits(language, f"{at.astimezone(ZoneInfo(zone)):%H:%M}")


def moment(language: str, at: datetime, *, zone: str) -> str:
    """Write day and clock time that an aware moment has in an IANA time zone."""
    return translate(language, "{day}, {clock}").format(
        day=day(language, at.astimezone(ZoneInfo(zone)).date()),
        clock=clock(language, at, zone=zone),
    )


def enumerate_words(language: str, words: list[str]) -> str:
    """Write several words as one part of a sentence: a, b, and c."""
    listed = format_list(words, locale=language)
    # Unicode's pattern has a comma before the last «و», which Persian does without.
    return listed.replace("، و ", " و ") if language == "fa" else listed


def isolate(text: str) -> str:
    """Keep the direction of a name, a link or an identifier to itself, whatever it is made of."""
    return _ISOLATE.format(text.translate(_BREAKS | _STEERING))


def shorten(text: str, *, most_units: int) -> str:
    """Cut a text to so many UTF-16 units, the sign that it was cut included, never inside a grapheme."""
    if count_units(text) <= most_units:
        return text
    kept, room = [], most_units - 1
    for grapheme in list_graphemes(text):
        room -= count_units(grapheme)
        if room < 0:
            break
        kept.append(grapheme)
    return "".join(kept).rstrip() + "…"


def _own_digits(language: str, text: str) -> str:
    return text.translate(_PERSIAN_DIGITS) if language == "fa" else text
