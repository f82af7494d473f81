"""What of people's messages is not relayed, and with which word it is refused."""

from typing import Any, Final

import pytest

from nekonymous_site.bot.message_content import ReadContent, Unsendable, read_message
from nekonymous_site.bot.update_models import Message

FILE: Final = {"file_id": "file-1"}


def _message(**fields: object) -> Message:
    return Message.model_validate({"message_id": 1, "date": 2, "chat": {"id": 5, "type": "private"}} | fields)


@pytest.mark.parametrize("text", ["", " ", "\n\t \u00a0\u2003", "\u200c\u200d", "\u3164", "\u2800"])
def test_a_text_without_anything_to_read_is_empty(text: str) -> None:
    assert read_message(_message(text=text)) is Unsendable.EMPTY


def test_a_message_that_says_nothing_is_empty() -> None:
    assert read_message(_message()) is Unsendable.EMPTY
    circumstances = {
        "text": None,
        "forward_origin": {},
        "via_bot": {"id": 1},
        "quote": {},
        "reply_to_story": {},
    }
    assert read_message(_message(**circumstances)) is Unsendable.EMPTY


REFUSED = [
    ({"contact": {"phone_number": "+15550100"}}, Unsendable.CONTACT),
    ({"location": {"latitude": 1, "longitude": 2}}, Unsendable.PLACE),
    ({"venue": {"title": "x"}, "location": {"latitude": 1}}, Unsendable.PLACE),
    ({"poll": {"id": "1"}}, Unsendable.POLL),
    ({"dice": {"emoji": "🎲", "value": 4}}, Unsendable.DICE),
    ({"story": {"id": 1}}, Unsendable.STORY),
    ({"paid_media": {"star_count": 1}, "caption": "x"}, Unsendable.PAID_MEDIA),
    ({"gift": {}}, Unsendable.GIFT),
    ({"unique_gift": {"thin": 1}}, Unsendable.GIFT),
    ({"checklist": {"title": "x"}}, Unsendable.CHECKLIST),
    ({"giveaway": {}}, Unsendable.GIVEAWAY),
    ({"giveaway_winners": {}}, Unsendable.GIVEAWAY),
    ({"game": {}}, Unsendable.GAME),
    ({"invoice": {}}, Unsendable.INVOICE),
    ({"live_photo": FILE, "photo": [FILE]}, Unsendable.UNKNOWN),
    ({"rich_message": {"blocks": []}}, Unsendable.UNKNOWN),
    ({"a_kind_of_tomorrow": {}}, Unsendable.UNKNOWN),
    ({"caption": "of what?"}, Unsendable.UNKNOWN),
]


@pytest.mark.parametrize(("fields", "why"), REFUSED)
def test_what_is_not_relayed_is_refused_with_its_reason(fields: dict[str, Any], why: Unsendable) -> None:
    assert read_message(_message(**fields)) is why


@pytest.mark.parametrize(
    "name",
    [
        "pinned_message",
        "users_shared",
        "chat_shared",
        "message_auto_delete_timer_changed",
        "chat_background_set",
        "new_chat_members",
        "write_access_allowed",
        "web_app_data",
        "passport_data",
        "successful_payment",
        "forum_topic_created",
        "gift_upgrade_sent",
        "suggested_post_paid",
    ],
)
def test_what_telegram_notes_by_itself_is_service(name: str) -> None:
    assert read_message(_message(**{name: {"x": 1}})) is Unsendable.SERVICE


def test_a_text_is_a_text_whatever_else_tomorrow_says_of_it() -> None:
    content = read_message(_message(text="hi", chat_mood={"x": 1}, suggested_post_info={}, sender_tag="x"))
    assert isinstance(content, ReadContent)
    assert [item.text for item in content.items] == ["hi"]


@pytest.mark.parametrize("broken", [{}, {"file_id": 5}, {"file_id": ""}, [], "file", 5, {"file_id": ["x"]}])
@pytest.mark.parametrize(
    "kind", ["photo", "video", "animation", "document", "voice", "audio", "sticker", "video_note"]
)
def test_a_medium_without_a_file_id_is_of_an_unknown_kind(kind: str, broken: object) -> None:
    assert read_message(_message(**{kind: broken})) is Unsendable.UNKNOWN
