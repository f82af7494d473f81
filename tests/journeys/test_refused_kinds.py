"""What is not passed on: each kind is refused with its reason, and the draft stays open for another try."""

from typing import Any

import pytest
from contact_steps import alice_writes_to_bob
from received import fetch_one, last_words, list_own_words
from town import Town, count

from nekonymous_site.bot import refusal_texts
from nekonymous_site.bot.content_kinds import Unsendable

REFUSED = {
    "contact": Unsendable.CONTACT,
    "location": Unsendable.PLACE,
    "venue": Unsendable.PLACE,
    "poll": Unsendable.POLL,
    "dice": Unsendable.DICE,
    "story": Unsendable.STORY,
    "paid_media": Unsendable.PAID_MEDIA,
    "checklist": Unsendable.CHECKLIST,
    "giveaway": Unsendable.GIVEAWAY,
    "gift": Unsendable.GIFT,
    "unique_gift": Unsendable.GIFT,
    "game": Unsendable.GAME,
    "invoice": Unsendable.INVOICE,
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_refused_kind_is_told_why_and_the_draft_stays(town: Town, kind: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.sends(kind)
    town.settle()
    assert last_words(alice) == refusal_texts.unsendable("en", why=REFUSED[kind], draft_open=True)
    assert count("tickets.ticket") == 0
    alice.says("then in words")
    town.settle()
    assert fetch_one(town, bob).text == "then in words"


@pytest.mark.parametrize("fields", [{"hologram": {"file_id": "x"}}, {"live_photo": {}, "photo": []}])
def test_a_kind_that_nobody_knows_yet_is_answered(town: Town, fields: dict[str, Any]) -> None:
    alice, _ = alice_writes_to_bob(town)
    alice.sends("hologram", extra_fields=fields)
    town.settle()
    assert last_words(alice) == refusal_texts.unsendable("en", why=Unsendable.UNKNOWN, draft_open=True)
    assert count("accounts.draft") == 1


@pytest.mark.parametrize("text", ["\u200c", "\u2800 \n", "\u3164"])
def test_a_message_that_shows_nothing_is_answered(town: Town, text: str) -> None:
    alice, _ = alice_writes_to_bob(town)
    alice.says("x", extra_fields={"text": text})
    town.settle()
    assert last_words(alice) == refusal_texts.unsendable("en", why=Unsendable.EMPTY, draft_open=True)


SERVICE: dict[str, dict[str, Any]] = {
    "pinned": {"pinned_message": {"message_id": 1, "date": 0, "chat": {"id": 1, "type": "private"}}},
    "shared": {"users_shared": {"request_id": 1, "users": []}},
    "timer": {"message_auto_delete_timer_changed": {"message_auto_delete_time": 86_400}},
    "background": {"chat_background_set": {"type": {}}},
    "allowed": {"write_access_allowed": {"from_request": True}},
    "paid": {"successful_payment": {"currency": "XTR", "total_amount": 1}},
}


@pytest.mark.parametrize("note", SERVICE)
def test_a_service_message_is_answered_by_nothing_and_the_draft_stays(town: Town, note: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    before = list_own_words(alice)
    alice.sends("note", extra_fields=SERVICE[note])
    town.settle()
    assert list_own_words(alice) == before
    alice.says("still open")
    town.settle()
    assert fetch_one(town, bob).text == "still open"
