"""The settings: every screen leads on and back, in every language, and does what it says."""

from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from received import as_it_stands, fetch_one, last_words
from settings_steps import go_to, open_settings, toast_of
from stored_rows import Row, read_rows, read_value
from town import Town, count

from accounts.preferences import ReceiveKind
from nekonymous_site.bot import button_texts, outcome_texts, phrases, refusal_texts, settings_texts
from nekonymous_site.sandbox.people import Person, SeenMessage

every_language = pytest.mark.parametrize("language", ["en", "fa"])


@dataclass
class _Walk:
    """Presses every button of every screen once, each from the first screen on."""

    town: Town
    person: Person
    screen: SeenMessage
    language: str
    leads_to: dict[str, set[str]] = field(default_factory=dict)

    def press_everything(self) -> None:
        waiting = deque(["st:home"])
        while waiting:
            data = waiting.popleft()
            if data in self.leads_to:
                continue
            self.leads_to[data] = self._press(data)
            waiting.extend(sorted(self.leads_to[data] - self.leads_to.keys()))

    def _press(self, data: str) -> set[str]:
        """Press one button; gives the data of all buttons that can be pressed then."""
        # What an earlier press has set may stay, but not its language.
        for before in (f"st:language:{self.language}", "st:home"):
            self.person.taps_data(self.screen, before)
        self.town.settle()
        before_messages = len(self.person.sees())
        tap = self.person.taps_data(self.screen, data)
        self.town.settle()
        assert self.person.awaits_toast(tap).is_answered
        new = self.person.sees()[before_messages:]
        shown = [as_it_stands(self.person, self.screen), *(message for message in new if message.buttons)]
        self._check(shown)
        given = [one.callback_data or "" for message in shown for one in message.buttons]
        return {one for one in given if one.startswith("st:")}

    def _check(self, shown: list[SeenMessage]) -> None:
        for button in (button for message in shown for button in message.buttons):
            assert len((button.callback_data or "").encode()) in range(1, 65), button
            assert len(button.text.encode("utf-16-le")) // 2 <= 64, button
            assert "{" not in button.text, "something was not filled in"
        assert not [message.text for message in shown if "{" in message.text]

    def can_come_home(self, data: str) -> bool:
        seen, waiting = {data}, [data]
        while waiting:
            following = self.leads_to[waiting.pop()]
            if "st:home" in following:
                return True
            waiting.extend(following - seen)
            seen |= following
        return False


def _bob_has_set_everything(town: Town, language: str) -> Person:
    """Bob has a name and a page and a half of blocks, so that every button there is can be seen."""
    bob, link = town.owner()
    for n in range(9):
        town.writes(town.person(f"P{n}"), link, f"no {n}")
    bob.says("/inbox")
    town.settle()
    for message in town.delivered(bob):
        bob.taps(message, "b:")
    screen = open_settings(town, bob)
    go_to(town, bob, screen, f"language:{language}")
    go_to(town, bob, screen, "name")
    bob.says("Sara 🌱 سارا")
    town.settle()
    assert count("accounts.block") == 9
    return bob


@every_language
def test_no_screen_is_a_dead_end(town: Town, language: str) -> None:
    bob = _bob_has_set_everything(town, language)
    walk = _Walk(town, bob, open_settings(town, bob), language)
    walk.press_everything()
    assert {"st:pause:ever", "st:pause:end", "st:receive:STICKER", "st:zone:UTC", "st:lift_all:yes"} < (
        walk.leads_to.keys()
    )
    assert {"st:language:en", "st:language:fa", "st:name:remove", "st:blocks:1"} < walk.leads_to.keys()
    dead_ends = [data for data in walk.leads_to if not walk.can_come_home(data)]
    assert dead_ends == ["st:close"], "and who closes wants to leave"
    assert {answer.status for answer in town.answers} == {200}
    assert count("outbox.update_failure") == count("outbox.parked_update") == 0
    assert read_rows("SELECT kind FROM outbox.intent WHERE state IN ('failed', 'dead')") == []


@every_language
def test_a_closed_screen_is_opened_anew(town: Town, language: str) -> None:
    bob, _ = town.owner()
    screen = go_to(town, bob, open_settings(town, bob), f"language:{language}")
    screen = go_to(town, bob, screen, "home")
    assert screen.has_button(button_texts.close(language))
    bob.taps(screen, button_texts.close(language))
    town.settle()
    assert as_it_stands(bob, screen).buttons == ()
    assert open_settings(town, bob).has_button(button_texts.close(language))


def _what_is_set() -> list[Row]:
    return read_rows(
        "SELECT language, time_zone, paused_until, refused_kinds, display_name FROM accounts.account"
    )


@pytest.mark.parametrize(
    "data",
    [
        *("", "nope", "home:x", "close:x", ":", "::"),
        *("pause:999", "pause:²", "pause:-1", "pause:1.5", "pause:۱", "pause:1:1"),
        *("receive:NONE", "receive:TEXT|PHOTO", "receive:__class__", "receive:1"),
        *("zone:Mars/Phobos", "zone:../../etc/passwd", "zone:utc"),
        *("language:xx", "language:../fa", "language:"),
        *("blocks:-1", "blocks:۲", "blocks:999", "blocks:9999", "blocks:x"),
        *("lift", "lift:", "lift:0:", "lift:x:!!!", "lift:0:AAAA", "lift:0:AAAAAAAAAAAAAAAAAAAAAA"),
        *("lift_all:no", "lift_all:", "name:x"),
    ],
)
def test_data_that_nobody_wrote_changes_nothing(town: Town, data: str) -> None:
    bob, _ = town.owner()
    screen = open_settings(town, bob)
    before = _what_is_set()
    tap = bob.taps_data(screen, f"st:{data}")
    town.settle()
    assert bob.awaits_toast(tap).is_answered
    assert _what_is_set() == before
    assert {answer.status for answer in town.answers} == {200}
    assert count("outbox.update_failure") == 0
    if data in ("", "nope", ":", "::"):
        assert bob.awaits_toast(tap).text == outcome_texts.button_dead("en")


@pytest.mark.parametrize("zone", settings_texts.TIME_ZONES)
def test_a_time_zone_is_chosen_and_its_time_shown(town: Town, zone: str) -> None:
    bob, _ = town.owner()
    before = datetime.now(UTC)
    screen = go_to(town, bob, open_settings(town, bob), f"zone:{zone}")
    assert read_value("SELECT time_zone FROM accounts.account") == zone
    name = settings_texts.zone_name("en", zone)
    assert name in screen.text
    clocks = {phrases.clock("en", moment, zone=zone) for moment in (before, datetime.now(UTC))}
    assert any(clock in screen.text for clock in clocks)
    assert screen.has_button(button_texts.zone_choice("en", zone=zone, chosen=True))
    marked = [one for one in screen.buttons if one.text.startswith("✅")]
    assert len(marked) == 1
    assert name in go_to(town, bob, screen, "home").text


@pytest.mark.parametrize(("code", "zone"), [("fa", "Asia/Tehran"), ("en", "UTC"), ("fa-IR", "Asia/Tehran")])
def test_a_newcomer_is_told_times_of_where_the_language_is_spoken(town: Town, code: str, zone: str) -> None:
    town.person("Sara", code).says("/start")
    town.settle()
    assert read_value("SELECT time_zone FROM accounts.account") == zone


@every_language
def test_a_language_changes_every_screen_and_the_keyboard(town: Town, language: str) -> None:
    other = "fa" if language == "en" else "en"
    bob = town.person("Bob", other)
    bob.says("/start")
    town.settle()
    before = bob.keyboard()
    screen = go_to(town, bob, open_settings(town, bob), f"language:{language}")
    assert screen.has_button(button_texts.language_choice(language, chosen=True))
    assert bob.keyboard() != before
    assert len(bob.keyboard()) == len(before)
    for label in (*before, *bob.keyboard()):
        bob.says(label)
    bob.says("/cancel")
    town.settle()
    assert last_words(bob) == outcome_texts.nothing_to_cancel(language), "no label was a stray word"
    assert outcome_texts.nothing_open(language) not in [message.text for message in bob.sees()]


def test_the_chosen_language_stays_whatever_telegram_says(town: Town) -> None:
    bob, _ = town.owner()
    go_to(town, bob, open_settings(town, bob), "language:fa")
    go_to(town, bob, open_settings(town, bob), "language:fa")
    bob.says("/cancel")
    town.settle()
    assert last_words(bob) == outcome_texts.nothing_to_cancel("fa")


SENT: dict[ReceiveKind, list[str]] = {
    ReceiveKind.PHOTO: ["photo"],
    ReceiveKind.VIDEO: ["video", "animation"],
    ReceiveKind.VOICE: ["voice", "video_note"],
    ReceiveKind.DOCUMENT: ["document", "audio"],
    ReceiveKind.STICKER: ["sticker"],
}
NAMELESS = dict.fromkeys(("file_name", "title", "performer", "set_name"))


@pytest.mark.parametrize("kind", SENT)
def test_a_kind_that_is_switched_off_is_refused_until_it_is_on_again(town: Town, kind: ReceiveKind) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    screen = go_to(town, bob, open_settings(town, bob), "receive")
    bob.taps(screen, button_texts.receive_choice("en", kind=kind, wanted=True))
    town.settle()
    assert as_it_stands(bob, screen).has_button(button_texts.receive_choice("en", kind=kind, wanted=False))
    assert settings_texts.receive_kind("en", kind) in go_to(town, bob, screen, "home").text
    alice.opens(link)
    for sent in SENT[kind]:
        alice.sends(sent, extra=NAMELESS)
        town.settle()
        assert last_words(alice) == refusal_texts.kind_refused("en", kind=kind, draft_open=True)
    go_to(town, bob, screen, f"receive:{kind.name}")
    alice.sends(SENT[kind][0], extra=NAMELESS)
    town.settle()
    assert fetch_one(town, bob).kind == SENT[kind][0]


def test_a_pause_is_shown_and_ended(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    screen = go_to(town, bob, open_settings(town, bob), "pause")
    assert screen.text == settings_texts.pause_screen("en")
    assert toast_of(town, bob, screen, "pause:ever") == settings_texts.paused_for_ever("en")
    rests = "paused until you end the pause"
    assert rests in as_it_stands(bob, screen).text
    town.writes(alice, link, "are you there?")
    town.settle()
    assert last_words(alice) == outcome_texts.not_taking("en")
    for _ in range(2):
        assert toast_of(town, bob, screen, "pause:end") == settings_texts.resumed("en")
    assert rests not in as_it_stands(bob, screen).text
    town.writes(alice, link, "and now?")
    town.settle()
    assert fetch_one(town, bob).text == "and now?"


@pytest.mark.parametrize("hours", [1, 8, 24])
def test_a_pause_says_until_when_in_the_time_of_its_owner(town: Town, hours: int) -> None:
    bob = town.person("Bob", "fa")
    bob.says("/start")
    town.settle()
    screen = open_settings(town, bob)
    toast = toast_of(town, bob, screen, f"pause:{hours}")
    until = read_value("SELECT paused_until FROM accounts.account")
    assert isinstance(until, datetime)
    assert toast == settings_texts.paused("fa", until=until, zone="Asia/Tehran")
    assert phrases.moment("fa", until, zone="Asia/Tehran") in as_it_stands(bob, screen).text
