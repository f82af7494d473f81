"""What of a message is relayed: the text, and those entities that point at nobody."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nekonymous_site.bot.message_content import read_content
from nekonymous_site.bot.update_models import Message
from nekonymous_site.workflows.ticket_content import MessageContent

PLAIN = [
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "spoiler",
    "blockquote",
    "expandable_blockquote",
    "code",
    "pre",
]
# Each names an account, hides an address, or makes Telegram look somebody up.
POINTING = [
    {"type": "text_mention", "user": {"id": 4711, "first_name": "Alice"}},
    {"type": "text_link", "url": "tg://user?id=4711"},
    {"type": "text_link", "url": "https://example.org/4711"},
    {"type": "custom_emoji", "custom_emoji_id": "4711"},
    {"type": "mention"},
    {"type": "url"},
    {"type": "phone_number"},
    {"type": "email"},
    {"type": "bot_command"},
    {"type": "a_kind_of_tomorrow"},
]


def _message(text: str | None, entities: list[dict[str, Any]]) -> Message:
    value = {"message_id": 1, "chat": {"id": 5, "type": "private"}, "text": text, "entities": entities}
    return Message.model_validate(value)


def _entities(*entities: dict[str, Any], text: str = "0123456789") -> list[dict[str, Any]]:
    content = read_content(_message(text, list(entities)))
    assert content is not None
    return content.entities


@pytest.mark.parametrize("kind", PLAIN)
def test_what_only_looks_is_kept(kind: str) -> None:
    entity = {"type": kind, "offset": 2, "length": 3}
    assert _entities(entity) == [entity]


@pytest.mark.parametrize("entity", POINTING)
def test_what_points_at_somebody_is_dropped_and_the_text_stays(entity: dict[str, Any]) -> None:
    assert _entities(entity | {"offset": 0, "length": 4}) == []


@pytest.mark.parametrize("kind", PLAIN)
def test_nothing_rides_along_on_a_kept_entity(kind: str) -> None:
    riding = {
        "url": "tg://user?id=4711",
        "user": {"id": 4711},
        "custom_emoji_id": "4711",
        "unix_time": 4711,
        "a_field_of_tomorrow": 4711,
    }
    assert _entities({"type": kind, "offset": 0, "length": 1} | riding) == [
        {"type": kind, "offset": 0, "length": 1}
    ]


def test_a_block_of_code_keeps_its_language() -> None:
    entity = {"type": "pre", "offset": 0, "length": 3, "language": "python"}
    assert _entities(entity) == [entity]


@pytest.mark.parametrize("language", [None, 4711, True, ["x"], {"id": 4711}, float("nan"), float("inf")])
def test_a_language_that_is_no_text_is_not_relayed(language: object) -> None:
    entity = {"type": "pre", "offset": 0, "length": 3, "language": language}
    kept = _entities(entity)
    assert json.dumps(kept, allow_nan=False) == '[{"type": "pre", "offset": 0, "length": 3}]'


@pytest.mark.parametrize("place", [None, "0", 1.5, True, float("nan"), [0], {}])
@pytest.mark.parametrize("name", ["offset", "length"])
def test_an_entity_without_a_place_is_dropped(name: str, place: object) -> None:
    entity: dict[str, Any] = {"type": "bold", "offset": 0, "length": 1} | {name: place}
    assert _entities(entity) == []


@pytest.mark.parametrize("kind", [None, 1, ["bold"], {"bold": 1}, "BOLD", ""])
def test_an_entity_of_no_kind_is_dropped(kind: object) -> None:
    assert _entities({"type": kind, "offset": 0, "length": 1}) == []


@pytest.mark.parametrize("text", [None, "", " ", "\n\t \u00a0\u2003"])
def test_a_message_without_anything_to_read_is_none(text: str | None) -> None:
    assert read_content(_message(text, [])) is None


@pytest.mark.parametrize("text", [" a ", "سلام\u200cها", "\U0001f469\u200d\U0001f52c", "e\u0301" * 3])
def test_a_text_is_relayed_to_the_letter(text: str) -> None:
    content = read_content(_message(text, []))
    assert content is not None
    assert content.text == text
    assert MessageContent.from_bytes(content.to_bytes()) == content


@given(
    entity=st.dictionaries(
        st.sampled_from(["type", "offset", "length", "language", "url"]),
        st.text() | st.integers() | st.none(),
    )
)
def test_whatever_an_entity_is_what_is_kept_is_plain(entity: dict[str, Any]) -> None:
    for kept in _entities(entity):
        assert kept["type"] in PLAIN
        assert kept.keys() <= {"type", "offset", "length", "language"}


def test_a_message_never_prints_what_it_says() -> None:
    content = read_content(_message("canary-4711", [{"type": "bold", "offset": 0, "length": 6}]))
    assert "canary-4711" not in repr(content)
