"""Every message of the bot is in every catalogue, complete and in the right letters, and nothing else is."""

import ast
import inspect
import re
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Final

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from source_tree import parse, product_sources, short
from spoken_texts import SPOKEN, TEXT_MODULES, outside_isolates

from nekonymous_site.bot import catalogues, handler_registry, menu_labels, phrases

CATALOGUES: Final = {path.parent.parent.name: path for path in catalogues.LOCALE_FOLDER.glob("*/*/bot.po")}
PLACEHOLDER: Final = re.compile(r"\{[a-z_]*\}")
COMMAND: Final = re.compile(r"/[a-z_]+")
ISOLATED_COMMAND: Final = re.compile("\u2068/[a-z_]+\u2069")
MADE_UP_HEADERS: Final = ("FIRST AUTHOR", "FULL NAME", "EMAIL@ADDRESS", "LL@li.org", "YEAR-MO-DA", "PACKAGE")
ARABIC_LETTERS: Final = re.compile(
    "[\N{ARABIC LETTER YEH}\N{ARABIC LETTER ALEF MAKSURA}\N{ARABIC LETTER KAF}]"
)
ARABIC_DIGITS: Final = re.compile("[\N{ARABIC-INDIC DIGIT ZERO}-\N{ARABIC-INDIC DIGIT NINE}]")
# What a Persian reader stumbles over: a parted prefix or plural, a half-space at a blank, foreign marks.
MISWRITTEN: Final = re.compile(
    r"\b(?:ن?می|بی) | (?:ها|های|هایی|تر|ترین)\b|\u200c[\s\u200c]|\s\u200c|\u200c\Z|[,;?\"']|  | [،؛؟.:]"
)


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


def test_persian_is_set_as_a_persian_reader_expects() -> None:
    found = {text: MISWRITTEN.findall(told) for text, told in translations("fa").items()}

    assert {text: marks for text, marks in found.items() if marks} == {}


@pytest.mark.parametrize(
    "told",
    [
        "می نویسد",
        "نمی رسد",
        "پیام ها",
        "پیام های او",
        "بزرگ تر",
        "چرا?",
        "یک, دو",
        "یک ، دو",
        "می\u200c نویسد",
    ],
)
def test_what_is_badly_set_is_seen(told: str) -> None:
    assert MISWRITTEN.search(told)


def test_latin_words_and_commands_are_isolated_from_persian() -> None:
    """Or else their marks jump to the other end: `/cancel` would be shown with its stroke behind it."""
    copy = {text: PLACEHOLDER.sub("", told) for text, told in translations("fa").items()}

    assert {text for text, told in copy.items() if COMMAND.search(ISOLATED_COMMAND.sub("", told))} == set()
    assert {text for text, told in copy.items() if re.search("[A-Za-z]", outside_isolates(told))} == set()
    assert {text for text, told in copy.items() if told.count("\u2068") != told.count("\u2069")} == set()


def test_only_modules_whose_texts_are_tried_say_anything() -> None:
    speaking = {path for path, _ in translate_calls()}

    assert speaking == {Path(inspect.getfile(module)) for module in (*TEXT_MODULES, phrases)}


def test_every_public_function_of_a_text_module_is_tried() -> None:
    tried = {spoken.say for spoken in SPOKEN}
    untried = {
        f"{module.__name__}.{name}"
        for module in TEXT_MODULES
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_") and function not in tried
    }

    assert untried == {f"{menu_labels.__name__}.{menu_labels.read_menu_label.__name__}"}


@pytest.mark.parametrize("language", CATALOGUES)
def test_every_message_is_said_where_the_limits_are_tried(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: set[str] = set()
    look_up = GNUTranslations.gettext

    def listen(catalogue: GNUTranslations, message: str) -> str:
        said.add(message)
        return look_up(catalogue, message)

    monkeypatch.setattr(GNUTranslations, "gettext", listen)
    for spoken in SPOKEN:
        list(spoken.texts(language))

    assert source_messages() - said == set()


def test_every_command_that_a_text_names_is_answered() -> None:
    named = {
        command for message in source_messages() for command in COMMAND.findall(PLACEHOLDER.sub("", message))
    }

    assert named
    assert named <= {f"/{command}" for command in handler_registry.COMMANDS}
