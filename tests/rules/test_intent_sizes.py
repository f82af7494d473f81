"""What is to be seen fits into the sealed size of its kind, at its longest, in every language."""

import json

import pytest
from spoken_texts import SPOKEN, Spoken, is_button

from accounts.drafts import ComposeDraft, MessageDraft, ReplyDraft
from nekonymous_site.bot import keyboards, outcome_texts, refusal_texts, settings_texts
from nekonymous_site.bot.catalogues import languages
from nekonymous_site.bot.handlers.settings_screens import settings_button
from nekonymous_site.bot.visit import (
    HandlerAnswer,
    acknowledgement,
    edited_screen,
    progress,
    prompt,
    question,
    screen,
)
from nekonymous_site.crypto.byte_framing import LENGTH_BYTES
from nekonymous_site.crypto.capabilities import Capability, WithdrawToken
from nekonymous_site.crypto.identifiers import AccountId, ContactSalt, LookupNonce
from outbox.intent_kinds import POLICIES

CAPABILITY = Capability.new()
TOKEN = WithdrawToken.new(LookupNonce(b"\xff" * 16))
DESTINATIONS: tuple[MessageDraft, ...] = (
    ComposeDraft(recipient=AccountId(b"\xff" * 16), contact_salt=ContactSalt(b"\xff" * 16), slug="s" * 32),
    ReplyDraft(capability=CAPABILITY),
)
# What an acknowledgement may say; everything else that is no button is a screen or a prompt.
ACKNOWLEDGED = (
    outcome_texts.accepted,
    outcome_texts.reply_accepted,
    outcome_texts.not_taking,
    outcome_texts.dead_link,
    outcome_texts.button_dead,
    outcome_texts.update_parked,
    outcome_texts.nothing_open,
    outcome_texts.where_to_reply,
    outcome_texts.unclear_gesture,
    outcome_texts.written_before,
    refusal_texts.unsendable,
    refusal_texts.too_long,
    refusal_texts.gathering_cut,
    refusal_texts.too_many_questions,
    refusal_texts.kind_refused,
    refusal_texts.suspended,
    refusal_texts.banned,
    refusal_texts.too_fast,
    refusal_texts.too_many_first,
)
MESSAGES = [spoken for spoken in SPOKEN if not is_button(spoken.say)]

every_language = pytest.mark.parametrize("language", sorted(languages()))


def _fits(answer: HandlerAnswer) -> bool:
    [message] = answer.messages
    body = {
        "account": "f" * 32,
        "chat": 2**52,
        "method": message.method,
        "parameters": message.parameters,
    }
    size = len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())
    return size <= POLICIES[message.kind].padded_bytes - LENGTH_BYTES


@every_language
@pytest.mark.parametrize("spoken", MESSAGES, ids=str)
def test_every_text_fits_a_screen_and_a_prompt_with_buttons(spoken: Spoken, language: str) -> None:
    keyboard = keyboards.question_keyboard(b"\xff" * 16, language=language)
    for text in spoken.texts(language):
        assert _fits(screen(text, keyboard=keyboards.menu_keyboard(language)))
        assert _fits(prompt(text, keyboard=keyboard, reply_to=2**31))
        assert _fits(question(text, keyboard=keyboard, reply_to=2**31))


@every_language
@pytest.mark.parametrize("destination", DESTINATIONS, ids=["first", "answer"])
def test_every_acknowledgement_fits_with_its_buttons(destination: MessageDraft, language: str) -> None:
    keyboard = keyboards.accepted_keyboard(TOKEN, language=language, destination=destination)
    said = [spoken for spoken in MESSAGES if spoken.say in ACKNOWLEDGED]
    assert len(said) == len(ACKNOWLEDGED)
    for spoken in said:
        for text in spoken.texts(language):
            assert _fits(acknowledgement(text, keyboard=keyboard))


@every_language
def test_a_page_of_blocks_with_the_longest_names_fits(language: str) -> None:
    [entry] = [spoken for spoken in SPOKEN if spoken.say is settings_texts.block_entry]
    longest = max(entry.texts(language), key=lambda label: len(label.encode()))
    keyboard = keyboards.inline(*[[settings_button(longest, "lift:999:" + "x" * 22)]] * 12)
    text = settings_texts.blocks_screen(language, count=500, page=63, pages=63)
    assert _fits(edited_screen(text, message_id=2**31, keyboard=keyboard))


@every_language
def test_the_progress_of_a_full_inbox_fits(language: str) -> None:
    assert _fits(progress(outcome_texts.progress(language, delivered=0, total=50), total=50))
