"""Every text that the bot can say, in every language: it fits, it stays readable, it claims what is true."""

import re
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spoken_texts import (
    CONTACT,
    FIRST_WORDS,
    FOREIGN,
    LATE,
    PLAIN_WORDS,
    SPOKEN,
    TOASTS,
    URL,
    Given,
    Spoken,
    is_button,
    outside_isolates,
)

from accounts.preferences import FOR_EVER, ReceiveKind
from nekonymous_site.bot import (
    button_texts,
    menu_labels,
    outcome_texts,
    refusal_texts,
    screen_texts,
    settings_texts,
)
from nekonymous_site.bot.catalogues import languages
from nekonymous_site.bot.content_kinds import Unsendable
from nekonymous_site.bot.message_content import Revealed
from nekonymous_site.bot.phrases import number
from nekonymous_site.bot.utf16 import count_units

LANGUAGES = sorted(languages())
MESSAGE_UNITS, TOAST_UNITS, BUTTON_UNITS = 4096, 200, 64

every_text = pytest.mark.parametrize("spoken", SPOKEN, ids=str)
every_language = pytest.mark.parametrize("language", LANGUAGES)


@every_language
@every_text
def test_a_text_fits_where_it_is_shown(spoken: Spoken, language: str) -> None:
    most = MESSAGE_UNITS
    if is_button(spoken.say):
        most = BUTTON_UNITS
    elif spoken.say in TOASTS:
        most = TOAST_UNITS
    for text in spoken.texts(language):
        assert text.strip() == text != ""
        assert count_units(text) <= most, text


@every_language
@every_text
def test_the_isolates_of_a_text_are_closed_in_every_line(spoken: Spoken, language: str) -> None:
    for text in spoken.texts(language):
        for line in text.split("\n"):
            rest = outside_isolates(line).replace("\u2068\u2069", "")
            assert re.findall("[\u202a-\u202e\u2066-\u2069]", rest) == [], line


@every_language
@every_text
def test_no_placeholder_is_left_unsaid(spoken: Spoken, language: str) -> None:
    assert [text for text in spoken.texts(language) if re.search(r"[{}]", text)] == []


@every_text
def test_persian_stands_alone_outside_the_isolates(spoken: Spoken) -> None:
    for text in spoken.texts("fa"):
        assert re.findall("[A-Za-z0-9]", outside_isolates(text)) == [], text


def _foreign_fields(given: Given) -> list[str]:
    return [name for name in FOREIGN if given.get(name)]


FOREIGN_CASES = [
    pytest.param(spoken, given, id=f"{spoken}-{number}")
    for spoken in SPOKEN
    for number, given in enumerate(spoken.given)
    if _foreign_fields(given)
]
WITH_FOREIGN_WORDS = {str(case.id).rpartition("-")[0]: case for case in FOREIGN_CASES}


@every_language
@pytest.mark.parametrize(("spoken", "sample"), list(WITH_FOREIGN_WORDS.values()))
@settings(max_examples=30)
@given(
    foreign=st.text(min_size=1)
    | st.text(alphabet="\u2066\u2067\u2068\u2069\u202b\u202e\n\r\u2029{}a/", min_size=1)
)
def test_no_name_changes_anything_outside_its_isolate(
    spoken: Spoken, sample: Given, language: str, foreign: str
) -> None:
    def say(word: str) -> str:
        fields = _foreign_fields(sample)
        values = {name: [(Revealed.TITLE.name, word)] if name == "names" else word for name in fields}
        return outside_isolates(spoken.say(language, **{**sample, **values}))

    assert say(foreign) == say("Alex")


def test_toasts_are_texts_and_no_buttons() -> None:
    assert {spoken.say for spoken in SPOKEN} >= TOASTS
    assert not [spoken for spoken in SPOKEN if spoken.say in TOASTS and is_button(spoken.say)]


# What docs/threat_model.md forbids to say, unless it is denied in the same sentence.
DENIED = re.compile(r"\b(?:not|no|ندارد|نیست|نمی‌دهد)\b")
NEVER_CLAIMED = re.compile(
    r"end-to-end|zero-knowledge|perfect|guarantee|untraceable|nobody can find|fully anonymous|"
    r"سرتاسری|دانش صفر|ناشناسی کامل|تضمین|هرگز|غیرقابل ردیابی"
)


@every_language
@every_text
def test_nothing_is_promised_that_is_not_true(spoken: Spoken, language: str) -> None:
    for text in spoken.texts(language):
        for sentence in re.split(r"[.\n;:؛]", outside_isolates(text)):
            assert not NEVER_CLAIMED.search(sentence) or DENIED.search(sentence), sentence


@pytest.mark.parametrize("language", PLAIN_WORDS)
def test_the_privacy_screen_says_what_this_is_not_and_what_is_kept(language: str) -> None:
    text = screen_texts.privacy_screen(language, contact=CONTACT, source_url=URL)
    missing = {
        subject: word
        for subject, words in PLAIN_WORDS[language].items()
        for word in words
        if word not in text
    }
    assert missing == {}
    assert CONTACT in text
    assert URL in text


@pytest.mark.parametrize("language", FIRST_WORDS)
def test_the_first_words_say_what_this_is_what_is_kept_and_for_whom(language: str) -> None:
    text = screen_texts.first_contact(language, contact=None)
    assert [word for word in [*FIRST_WORDS[language], "/privacy", "/language"] if word not in text] == []
    assert {"English", "فارسی"} <= set(re.findall(r"\w+", text)), (
        "either may be read by somebody of the other"
    )


@every_language
def test_the_limits_of_a_name_are_told_to_whoever_missed_them(language: str) -> None:
    told = {outcome_texts.nickname_unusable(language): 32, settings_texts.name_unusable(language): 64}
    assert [text for text, most in told.items() if number(language, most) not in text] == []


@every_language
def test_an_empty_inbox_that_is_paused_says_so_in_one_toast(language: str) -> None:
    pauses = [settings_texts.paused(language, until=LATE, zone=zone) for zone in settings_texts.TIME_ZONES]
    for pause in (settings_texts.paused_for_ever(language), *pauses):
        assert count_units(f"{outcome_texts.inbox_empty(language)}\n{pause}") <= TOAST_UNITS


def test_persian_buttons_are_called_what_stands_on_them() -> None:
    told = (
        outcome_texts.nothing_open("fa")
        + outcome_texts.where_to_reply("fa")
        + outcome_texts.prompt_over("fa")
    )
    named = [button_texts.reply("fa"), button_texts.write_another("fa"), button_texts.withdraw("fa")]
    assert [label for label in named if f"«{label.partition(' ')[2]}»" not in told] == []


@every_language
def test_nobody_is_named_where_nobody_is_to_be_asked(language: str) -> None:
    asked = screen_texts.first_contact(language, contact=CONTACT).split("\n")
    unasked = screen_texts.first_contact(language, contact=None).split("\n")
    assert [line for line in asked if CONTACT not in line] == unasked
    assert len(asked) == len(unasked) + 1
    assert CONTACT in refusal_texts.banned(language, contact=CONTACT)
    assert "\n" not in refusal_texts.banned(language, contact=None)


@every_language
def test_each_refusal_has_its_own_reason(language: str) -> None:
    answered = [why for why in Unsendable if why is not Unsendable.SERVICE]
    reasons = {refusal_texts.unsendable(language, why=why, draft_open=False) for why in answered}
    refused = {refusal_texts.kind_refused(language, kind=kind, draft_open=True) for kind in ReceiveKind}
    assert len(reasons) == len(answered)
    assert len(refused) == len(ReceiveKind)


@every_language
@pytest.mark.parametrize("why", [Unsendable.EMPTY, Unsendable.CONTACT])
def test_a_draft_that_is_still_open_is_told_so(language: str, why: Unsendable) -> None:
    closed = refusal_texts.unsendable(language, why=why, draft_open=False)
    still_open = refusal_texts.unsendable(language, why=why, draft_open=True)
    assert still_open.startswith(closed + " ")


@every_language
def test_revealing_names_are_shown_cut_and_not_without_end(language: str) -> None:
    few = refusal_texts.revealing_question(language, names=[("FILE_NAME", "holiday.pdf"), ("TITLE", "Sara")])
    assert "\u2068holiday.pdf\u2069" in few
    assert "\u2068Sara\u2069" in few
    assert "…" not in few
    names = [("TITLE", f"{number}" + "x" * 5000) for number in range(31)]
    many = refusal_texts.revealing_question(language, names=names)
    assert many.count("\u2068") == 20
    assert "\n…\n" in many
    assert "\n…\n" not in refusal_texts.revealing_question(language, names=names[:20])


@every_language
def test_a_revealing_name_is_shown_once_for_each_thing_that_it_names(language: str) -> None:
    album = [(what.name, "Sara") for what in Revealed] * 10
    shown = refusal_texts.revealing_question(language, names=album)
    lines = [line for line in shown.split("\n") if "\u2068Sara\u2069" in line]
    assert len(lines) == len(set(lines)) == len(Revealed)
    assert "…" not in shown


@every_language
def test_a_name_that_was_chosen_is_said_and_another_is_neutral(language: str) -> None:
    assert "\u2068Sara\u2069" in outcome_texts.compose_prompt(language, name="Sara")
    assert "\u2068Sara\u2069" in outcome_texts.reply_prompt(language, nickname="Sara")
    neutral = (
        outcome_texts.compose_prompt(language, name=None)
        + outcome_texts.reply_prompt(language, nickname=None)
        + outcome_texts.nickname_prompt(language, current=None)
    )
    assert "None" not in neutral
    assert "/cancel" in neutral


@every_language
def test_the_settings_tell_three_kinds_of_pause_apart(language: str) -> None:
    screens = {
        settings_texts.settings_screen(
            language, name=None, paused_until=until, zone="UTC", refused=ReceiveKind(0), blocked=0
        )
        for until in (None, LATE, FOR_EVER)
    }
    assert len(screens) == 3
    assert not [text for text in screens if "9999" in text or "۹۳۷۷" in text]


@every_language
def test_the_settings_list_what_is_refused_and_nothing_else(language: str) -> None:
    refused = ReceiveKind.VOICE | ReceiveKind.STICKER
    text = settings_texts.settings_screen(
        language, name="Sara", paused_until=None, zone="Asia/Kabul", refused=refused, blocked=12
    )
    shown = {kind for kind in ReceiveKind if settings_texts.receive_kind(language, kind) in text}
    assert shown == {ReceiveKind.VOICE, ReceiveKind.STICKER}
    assert settings_texts.zone_name(language, "Asia/Kabul") in text


@every_language
def test_the_time_zones_exist_and_are_told_apart(language: str) -> None:
    zones = settings_texts.TIME_ZONES
    assert [str(ZoneInfo(zone)) for zone in zones] == list(zones)
    assert (zones[0], zones[1], zones[-1]) == ("Asia/Tehran", "Asia/Kabul", "UTC")
    assert len({settings_texts.zone_name(language, zone) for zone in zones}) == len(zones)


@every_language
def test_a_label_of_the_menu_leads_where_it_says_whoever_presses_it(language: str) -> None:
    labels = {
        "link": menu_labels.link(language),
        "inbox": menu_labels.inbox(language),
        "settings": menu_labels.settings(language),
        "cancel": button_texts.cancel(language),
    }
    for entry, label in labels.items():
        for pressed in (label, f" {label}\n", label.replace("\ufe0f", ""), f"\u200f{label}"):
            assert menu_labels.read_menu_label(pressed) == entry


@pytest.mark.parametrize("text", ["", " ", "Settings", "تنظیمات", "⚙️", "/settings", "📬", "🔗 My link, see?"])
def test_what_is_no_label_of_the_menu_is_a_message(text: str) -> None:
    assert menu_labels.read_menu_label(text) is None
