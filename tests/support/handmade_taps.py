"""Taps that no client of ours makes: on messages that are not there any more."""

import json

from town import Town

from nekonymous_site.bot.update_intake import take_update
from nekonymous_site.sandbox.people import Person

GONE = 987_654  # the id of no message, nor of any other update


def tap_on_vanished(town: Town, person: Person, data: str) -> None:
    """Tap a button of a message that was deleted a moment ago; it is answered, and everything settles."""
    chat = {"id": person.id, "type": "private", "first_name": person.first_name}
    tap = {
        "id": "4711",
        "from": {"id": person.id, "is_bot": False, "first_name": person.first_name, "language_code": "en"},
        "message": {"message_id": GONE, "date": 1_700_000_000, "chat": chat, "text": "gone"},
        "chat_instance": "1",
        "data": data,
    }
    answer = take_update(json.dumps({"update_id": GONE, "callback_query": tap}).encode())
    assert answer.status == 200
    assert answer.body is not None
    assert answer.body["method"] == "answerCallbackQuery"
    town.settle()
