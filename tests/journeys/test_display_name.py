"""The name that whoever opens a link reads: set, shown, made fit for one line, and taken away."""

import pytest
from received import last_words
from settings_steps import go_to, open_settings, toast_of
from town import Town, count

from nekonymous_site.bot import outcome_texts, phrases, settings_texts


def test_a_name_is_shown_to_whoever_opens_the_link(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    screen = open_settings(town, bob)
    assert phrases.isolate("Sara") not in screen.text
    go_to(town, bob, screen, "name")
    assert last_words(bob) == settings_texts.name_prompt("en", current=None)
    bob.says("Sara")
    alice.opens(link)
    town.settle()
    assert last_words(bob) == settings_texts.name_set("en", name="Sara")
    assert last_words(alice) == outcome_texts.compose_prompt("en", name="Sara")
    assert phrases.isolate("Sara") in go_to(town, bob, screen, "home").text
    go_to(town, bob, screen, "name")
    assert last_words(bob) == settings_texts.name_prompt("en", current="Sara")
    toast = toast_of(town, bob, bob.sees()[-1], "name:remove")
    assert toast == settings_texts.name_removed("en")
    alice.opens(link)
    town.settle()
    assert last_words(alice) == outcome_texts.compose_prompt("en", name=None)
    bob.says("a stray word")
    town.settle()
    assert last_words(bob) == outcome_texts.nothing_open("en"), "no name is waited for any more"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("سارا\u200cی من", "سارا\u200cی من"),
        ("\u202eevil\u202c\u2067x", "evilx"),
        ("a\n\n\tb", "a b"),
        ("🏳️\u200d🌈" * 3, "🏳️\u200d🌈" * 3),
        ("y" * 64, "y" * 64),
        ("<b>x</b> & Co. 24/7", "<b>x</b> & Co. 24/7"),
    ],
)
def test_a_name_is_made_fit_for_one_line(town: Town, typed: str, kept: str) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    go_to(town, bob, open_settings(town, bob), "name")
    bob.says(typed)
    alice.opens(link)
    town.settle()
    assert last_words(alice) == outcome_texts.compose_prompt("en", name=kept)


@pytest.mark.parametrize(
    "act",
    [
        "\u2066\u200b",
        "y" * 65,
        "photo",
        "contact",
        "Mina @mina",
        "tg://user?id=1",
        "mina.ir",
        "see /start",
        "#me",
    ],
)
def test_what_is_no_name_is_asked_for_again(town: Town, act: str) -> None:
    bob, _ = town.owner()
    go_to(town, bob, open_settings(town, bob), "name")
    if act in ("photo", "contact"):
        bob.sends(act)
    else:
        bob.says("x", extra_fields={"text": act})
    town.settle()
    assert last_words(bob) == settings_texts.name_unusable("en")
    assert count("accounts.draft") == 1


@pytest.mark.parametrize("elsewhere", ["/help", "🔗 My link", "/language"])
def test_whoever_looks_at_something_else_is_not_asked_for_a_name_any_more(town: Town, elsewhere: str) -> None:
    bob, _ = town.owner()
    go_to(town, bob, open_settings(town, bob), "name")
    bob.says(elsewhere)
    bob.says("so who are you really?")
    town.settle()
    assert last_words(bob) == outcome_texts.nothing_open("en")
    assert count("accounts.account", "display_name IS NOT NULL") == 0
