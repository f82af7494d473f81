"""Every message of the bot is in every catalogue, complete and in the right letters, and nothing else is."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from source_tree import parse, product_sources, short

from nekonymous_site.bot import catalogues

CATALOGUES: Final = {path.parent.parent.name: path for path in catalogues.LOCALE_FOLDER.glob("*/*/bot.po")}
PLACEHOLDER: Final = re.compile(r"\{[a-z_]*\}")
COMMAND: Final = re.compile(r"/[a-z_]+")
MADE_UP_HEADERS: Final = ("FIRST AUTHOR", "FULL NAME", "EMAIL@ADDRESS", "LL@li.org", "YEAR-MO-DA", "PACKAGE")
ARABIC_LETTERS: Final = re.compile(
    "[\N{ARABIC LETTER YEH}\N{ARABIC LETTER ALEF MAKSURA}\N{ARABIC LETTER KAF}]"
)
ARABIC_DIGITS: Final = re.compile("[\N{ARABIC-INDIC DIGIT ZERO}-\N{ARABIC-INDIC DIGIT NINE}]")


@cache
def read_catalogue(language: str) -> Catalog:
    with CATALOGUES[language].open("rb") as source:
        return read_po(source, locale=language, abort_invalid=True)


def translations(language: str) -> dict[str, str]:
    """Source text and translation; this project has no plural messages."""
    pairs = {}
    for message in read_catalogue(language):
        if message.id:
            assert isinstance(message.id, str)
            assert isinstance(message.string, str)
            pairs[message.id] = message.string
    return pairs


def translate_calls() -> list[tuple[Path, ast.Call]]:
    return [
        (path, node)
        for path in product_sources()
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "translate"
    ]


def source_messages() -> set[str]:
    return {
        call.args[1].value
        for _, call in translate_calls()
        if isinstance(call.args[1], ast.Constant) and isinstance(call.args[1].value, str)
    }


def test_every_message_is_written_out_where_it_is_said() -> None:
    """A message that is put together at run time could not be found here, and not by a translator either."""
    hidden = [
        f"{short(path)}:{call.lineno}"
        for path, call in translate_calls()
        if not isinstance(call.args[1], ast.Constant)
    ]

    assert translate_calls()
    assert hidden == []


def test_there_is_a_catalogue_for_every_language_but_the_source() -> None:
    assert catalogues.languages() == {catalogues.SOURCE_LANGUAGE, *CATALOGUES}
    assert "fa" in CATALOGUES


@pytest.mark.parametrize("language", CATALOGUES)
def test_a_catalogue_holds_every_message_and_nothing_stale(language: str) -> None:
    assert set(translations(language)) == source_messages()
    assert read_catalogue(language).obsolete == {}


@pytest.mark.parametrize("language", CATALOGUES)
def test_a_catalogue_is_complete_and_sure(language: str) -> None:
    assert [text for text, translated in translations(language).items() if not translated.strip()] == []
    # The header is the message without an id.
    assert [message.id for message in read_catalogue(language) if message.id and message.fuzzy] == []


@pytest.mark.parametrize("language", CATALOGUES)
def test_placeholders_and_commands_survive_translation(language: str) -> None:
    def marks(text: str) -> list[str]:
        return sorted(PLACEHOLDER.findall(text) + COMMAND.findall(PLACEHOLDER.sub("", text)))

    assert {text: told for text, told in translations(language).items() if marks(text) != marks(told)} == {}


@pytest.mark.parametrize("language", CATALOGUES)
def test_a_header_says_what_is_true(language: str) -> None:
    text = CATALOGUES[language].read_text(encoding="utf-8")

    assert [word for word in MADE_UP_HEADERS if word in text] == []
    assert "#, fuzzy" not in text
    assert f'"Language: {language}\\n"' in text


def test_persian_is_written_in_persian_letters_and_digits() -> None:
    copy = {text: COMMAND.sub("", PLACEHOLDER.sub("", told)) for text, told in translations("fa").items()}

    assert {text for text, told in copy.items() if ARABIC_LETTERS.search(told)} == set()
    assert {text for text, told in copy.items() if ARABIC_DIGITS.search(told)} == set()
    assert {text for text, told in copy.items() if re.search(r"[0-9]", told)} == set()
