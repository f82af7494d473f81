"""What people call themselves and each other, made fit to stand inside our own sentences."""

from bisect import bisect_right
from itertools import accumulate
from typing import Final

import regex

from nekonymous_site.bot.graphemes import list_graphemes
from nekonymous_site.bot.utf16 import count_units

_UNITS_PER_GRAPHEME: Final = 4
_MOST_TYPED_UNITS: Final = 1024
_LINK: Final = regex.compile(r"(?<![\w/<>])/\w|(?<!\w)[@#]\w|://|\w\.\p{L}{2}")

# Joiners, selectors and tags.
_BELONGING: Final = r"\u200C\u200D\uFE0E\uFE0F\U000E0020-\U000E007F\U000E0100-\U000E01EF"
# Signs that span a number or end a verse: formats by their class only.
_SEEN: Final = r"\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\U000110BD\U000110CD"
# One after the other: none may take away what an earlier one has relied upon to keep something.
_RULES: Final = tuple(
    (regex.compile(pattern, regex.VERSION1), replacement)
    for pattern, replacement in (
        # Newlines, controls, every kind of blank, and the braille cell that only looks like one.
        (r"[\p{Cc}\p{Z}\u2800]", " "),
        # The flags of England, Scotland and Wales are spelt in tags, which are invisible anywhere else.
        (r"\U0001F3F4[\U000E0030-\U000E007A]{3,6}\U000E007F(*SKIP)(*FAIL)|[\U000E0000-\U000E007F]", ""),
        # Marks and overrides of direction, fillers and other invisible signs; those that may belong to a
        # letter or an emoji are looked at below.
        (rf"[[\p{{Cf}}\p{{Cs}}\p{{DI}}\p{{NChar}}\uFFFC]--[{_BELONGING}{_SEEN}]]", ""),
        # Selectors choose the shape of an emoji or of a Han letter.
        (r"(?<!\p{Emoji})[\uFE0E\uFE0F]|(?<!\p{Han})[\U000E0100-\U000E01EF]", ""),
        # A joiner makes one emoji of two, a non-joiner parts two letters; several in a row say no more.
        (r"(?<!\p{ExtPict}[\uFE0F\p{EMod}]{0,2})\u200D|\u200D(?!\p{ExtPict})", ""),
        (r"\u200C+(?=\u200C)", ""),
        (r"(?<!\p{L}\p{M}*)\u200C|\u200C(?!\p{L})", ""),
        # A mark without a letter would sit upon our own words, a tower of them upon our lines.
        (r"(?<=^|\x20)\p{M}+", ""),
        (r"(?<=\p{M}{4})\p{M}+", ""),
        (r"\x20+", " "),
    )
)


def clean_name(text: str, *, most_graphemes: int) -> str | None:
    """Make a name fit for a line of ours; None when nothing that can be seen is left of it.

    The name stays on one line, cannot turn the direction of what surrounds it and hides nothing; Persian
    non-joiners and composed emoji stay whole. It is cut to `most_graphemes`, and to four UTF-16 units for
    each of them. Cleaning a clean name changes nothing.
    """
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return _cut(text.strip(" "), most_graphemes=most_graphemes) or None


def holds_link(name: str) -> bool:
    """Tell whether clients would make a link, a mention or a command of something in a name."""
    return _LINK.search(name) is not None


def read_name(text: str | None, *, most_graphemes: int) -> str | None:
    """Read what somebody typed for a name; None when it is none, or longer than a name may be.

    It is not cut: who types more has perhaps meant it for somebody else.
    """
    if text is None or count_units(text) > _MOST_TYPED_UNITS:
        return None
    name = clean_name(text, most_graphemes=most_graphemes)
    return name if name == clean_name(text, most_graphemes=_MOST_TYPED_UNITS) else None


def _cut(text: str, *, most_graphemes: int) -> str:
    graphemes = list_graphemes(text)[:most_graphemes]
    units = list(accumulate(map(count_units, graphemes)))
    fitting = graphemes[: bisect_right(units, most_graphemes * _UNITS_PER_GRAPHEME)]
    # Behind a cut there may be a non-joiner without a second letter.
    return "".join(fitting).rstrip(" \u200c")
