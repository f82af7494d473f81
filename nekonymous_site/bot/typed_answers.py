"""Answers that people type where buttons wait for them, in any of our languages."""

from functools import cache
from typing import Final

from nekonymous_site.bot import button_texts
from nekonymous_site.bot.catalogues import languages

_YES: Final = ("yes", "y", "yep", "ok", "okay", "sure", "بله", "آره", "اره", "باشه", "اوکی", "بفرست")
_NO: Final = ("no", "n", "nope", "dont", "don't", "نه", "خیر", "نخیر", "نفرست")


def read_yes_or_no(text: str | None) -> bool | None:
    """Read a short yes or no; None for anything else, which is a message."""
    return _answers().get(_plain(text or ""))


@cache
def _answers() -> dict[str, bool]:
    labels = {_plain(button_texts.send_anyway(language)): True for language in languages()}
    labels |= {_plain(button_texts.do_not_send(language)): False for language in languages()}
    return labels | dict.fromkeys(_YES, True) | dict.fromkeys(_NO, False)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!؟?،")
