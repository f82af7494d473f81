"""Message catalogues, read straight from their `.po` files (docs/decisions/0006-catalogues.md)."""

from functools import cache
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

SOURCE_LANGUAGE: Final = "en"
LOCALE_FOLDER: Final = Path(__file__).parent / "locale"


@cache
def languages() -> frozenset[str]:
    """Name the languages that people can be answered in."""
    return frozenset({SOURCE_LANGUAGE} | {path.parent.parent.name for path in LOCALE_FOLDER.glob("*/*/*.po")})


def translate(language: str, message: str) -> str:
    """Say a message of ours in a language; in English where there is no catalogue."""
    catalogue = _catalogue(language)
    return catalogue.gettext(message) if catalogue else message


@cache
def _catalogue(language: str) -> GNUTranslations | None:
    path = LOCALE_FOLDER / language / "LC_MESSAGES" / "bot.po"
    if not path.exists():
        return None
    with path.open("rb") as source:
        catalogue = read_po(source, locale=language)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)
