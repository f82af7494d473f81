"""What a person meets who looks around: first words, menu, commands, stray texts."""

import pytest
from contact_steps import bob_hears_from_alice, tap_on
from received import as_it_stands, fetch_one, last_words, list_own_words
from settings_steps import open_settings
from town import Town, count

from nekonymous_site.bot import menu_labels, outcome_texts, screen_texts
from nekonymous_site.sandbox.people import Person

every_language = pytest.mark.parametrize("language", ["en", "fa"])


def _first_contacts(person: Person) -> int:
    language = person.language_code or "en"
    return list_own_words(person).count(screen_texts.first_contact(language, contact=None))


@every_language
def test_a_newcomer_by_link_reads_the_first_words_once(town: Town, language: str) -> None:
    _, link = town.owner()
    alice = town.person("Alice", language)
    alice.opens(link)
    town.settle()
    assert list_own_words(alice) == [
        screen_texts.first_contact(language, contact=None),
        outcome_texts.compose_prompt(language, name=None),
    ]
    assert set(alice.keyboard()) == {
        menu_labels.link(language),
        menu_labels.inbox(language),
        menu_labels.settings(language),
    }
    alice.says("hello")
    alice.opens(link)
    alice.says("/start")
    town.settle()
    assert _first_contacts(alice) == 1


@pytest.mark.parametrize("act", ["/start", "/help", "a stray word", "photo", "dead link"])
def test_the_first_words_come_whatever_comes_first(town: Town, act: str) -> None:
    alice = town.person("Alice")
    if act == "photo":
        alice.sends("photo")
    else:
        alice.says("/start AAAAAAAAAAAAAAAAAAAAAA" if act == "dead link" else act)
    town.settle()
    alice.says("/help")
    town.settle()
    assert _first_contacts(alice) == 1
    assert list_own_words(alice)[0] == screen_texts.first_contact("en", contact=None)


LABELS = [
    (kind, language)
    for kind in (menu_labels.link, menu_labels.inbox, menu_labels.settings)
    for language in ("en", "fa")
]


@pytest.mark.parametrize(("label", "language"), [(make(language), language) for make, language in LABELS])
@pytest.mark.parametrize("person_speaks", ["en", "fa"])
def test_a_menu_label_of_any_language_navigates_while_writing(
    town: Town, label: str, language: str, person_speaks: str
) -> None:
    bob, link = town.owner()
    alice = town.person("Alice", person_speaks)
    alice.opens(link)
    town.settle()
    before = list_own_words(alice)
    for written in (label, label.replace("\ufe0f", ""), f"\u200f{label}"):
        alice.says(written)
    town.settle()
    answers = list_own_words(alice)[len(before) :]
    assert len(answers) == 3
    assert len(set(answers)) == 1
    assert outcome_texts.nothing_open(person_speaks) not in answers
    assert count("tickets.ticket") == 0
    alice.says("now the message")
    town.settle()
    assert fetch_one(town, bob).text == "now the message"


@pytest.mark.parametrize("text", ["My link", "Settings", "صندوق من", "my settings are ⚙️ Settings"])
def test_words_like_those_of_the_menu_are_what_somebody_says(town: Town, text: str) -> None:
    bob, link = town.owner()
    town.writes(town.person("Alice"), link, text)
    town.settle()
    assert fetch_one(town, bob).text == text


@pytest.mark.parametrize("command", ["/nonsense", "/Start_", "/help2", "/x@some_bot", "/سلام_"])
@every_language
def test_a_command_of_nobody_is_answered_and_not_sent(town: Town, command: str, language: str) -> None:
    _, link = town.owner()
    alice = town.person("Alice", language)
    alice.opens(link)
    town.settle()
    alice.says(command)
    town.settle()
    if command.isascii():
        assert last_words(alice) == screen_texts.unknown_command(language)
        assert count("tickets.ticket") == 0
    else:
        assert count("tickets.ticket") == 1, "Telegram knows no such commands: these are words"


@pytest.mark.parametrize("command", ["/HELP", "/help@any_bot", "  /help  ", "/help me please"])
def test_a_command_is_known_however_it_is_written(town: Town, command: str) -> None:
    alice, _ = town.owner("Alice")
    alice.says("x", extra_fields={"text": command})
    town.settle()
    assert "/privacy" in last_words(alice)


@pytest.mark.parametrize("kind", ["text", "photo", "sticker", "contact", "dice", "poll"])
@every_language
def test_a_stray_message_is_told_the_two_ways(town: Town, kind: str, language: str) -> None:
    alice = town.person("Alice", language)
    if kind == "text":
        alice.says("hello?")
    else:
        alice.sends(kind)
    town.settle()
    assert last_words(alice) == outcome_texts.nothing_open(language)
    assert count("tickets.ticket") == count("accounts.composition") == 0


@pytest.mark.parametrize("code", ["de", "zh-hans", None, "fa-IR", "EN"])
def test_an_unknown_language_gets_the_default(town: Town, code: str | None) -> None:
    alice = town.sandbox.person("Alice", code)
    alice.says("/cancel")
    town.settle()
    expected = "en" if code == "EN" else "fa"
    assert last_words(alice) == outcome_texts.nothing_to_cancel(expected)


@pytest.mark.parametrize(
    "data", ["x", "r:", "r:AAAA", "w:x", "nx:", "b:!!!", "u:", "i:", "c:", "zz:1", "y", "\u0600:"]
)
def test_a_tap_with_anybodys_invention_is_answered(town: Town, data: str) -> None:
    alice, _ = town.owner("Alice")
    tap = alice.taps_data(alice.sees()[-1], data)
    town.settle()
    assert alice.awaits_toast(tap).is_answered
    assert {answer.status for answer in town.answers} == {200}
    assert count("outbox.update_failure") == count("accounts.draft") == 0


@every_language
def test_every_screen_of_a_command_is_one_message_that_is_filled_in(town: Town, language: str) -> None:
    alice = town.person("Alice", language)
    alice.says("/start")
    town.settle()
    for command in ("/help", "/privacy", "/link", "/inbox", "/settings", "/language", "/cancel", "/start"):
        before = len(alice.sees())
        alice.says(command)
        town.settle()
        [_, answer] = alice.sees()[before:]
        assert "{" not in answer.text
        assert len(answer.text.encode("utf-16-le")) // 2 <= 4096


@pytest.mark.parametrize("prompt", ["compose", "reply", "nickname", "name"])
def test_every_prompt_has_a_way_out_that_closes_it(town: Town, prompt: str) -> None:
    alice, bob, link = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    match prompt:
        case "compose":
            person = alice
            alice.opens(link)
        case "name":
            person = bob
            bob.taps_data(open_settings(town, bob), "st:name")
        case _:
            person = bob
            bob.taps(message, "r:" if prompt == "reply" else "n:")
    town.settle()
    asked = person.sees()[-1]
    assert count("accounts.draft") == 1
    way_out = asked.button("k:").callback_data
    assert way_out is not None
    is_name = prompt in ("nickname", "name")
    closed = outcome_texts.naming_cancelled("en") if is_name else outcome_texts.cancelled("en")
    assert tap_on(town, person, asked, "k:") == closed
    assert count("accounts.draft") == 0
    assert as_it_stands(person, asked).buttons == ()
    again = person.taps_data(asked, way_out)
    town.settle()
    assert person.awaits_toast(again).text == outcome_texts.prompt_over("en")
    person.says("too late")
    town.settle()
    assert last_words(person) == outcome_texts.nothing_open("en")
    assert count("tickets.ticket", "payload IS NOT NULL") == count("accounts.nickname") == 0


def test_the_way_out_of_one_prompt_does_not_close_another(town: Town) -> None:
    alice, bob, _ = bob_hears_from_alice(town)
    _, carols_link = town.owner("Carol")
    message = fetch_one(town, bob)
    bob.opens(carols_link)
    town.settle()
    older = bob.sees()[-1]
    bob.taps(message, "r:")
    town.settle()
    assert tap_on(town, bob, older, "k:") == outcome_texts.prompt_over("en")
    bob.says("an answer")
    town.settle()
    assert fetch_one(town, alice).text == "an answer"
