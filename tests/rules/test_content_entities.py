"""Which entities are relayed: those that change a text's looks, with nothing riding on them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nekonymous_site.bot.content_entities import keep_entities

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
# Each names an account, is found in the plain text anyway, or is unknown.
DROPPED = [
    {"type": "text_mention", "user": {"id": 4711, "first_name": "Alice"}},
    {"type": "mention"},
    {"type": "url"},
    {"type": "hashtag"},
    {"type": "phone_number"},
    {"type": "email"},
    {"type": "bot_command"},
    {"type": "date_time", "unix_time": 4711},
    {"type": "a_kind_of_tomorrow"},
    {"type": "custom_emoji"},
    {"type": "custom_emoji", "custom_emoji_id": ""},
    {"type": "custom_emoji", "custom_emoji_id": 4711},
    {"type": "custom_emoji", "custom_emoji_id": "x"},
    {"type": "custom_emoji", "custom_emoji_id": "۱۲"},
    {"type": "text_link"},
    {"type": "text_link", "url": " "},
    {"type": "text_link", "url": {"id": 4711}},
]


def _kept(*entities: dict[str, Any], text: str = "0123456789") -> list[dict[str, Any]]:
    return keep_entities(text, entities)


@pytest.mark.parametrize("kind", PLAIN)
def test_what_only_looks_is_kept(kind: str) -> None:
    entity = {"type": kind, "offset": 2, "length": 3}
    assert _kept(entity) == [entity]


@pytest.mark.parametrize("entity", DROPPED)
def test_what_points_at_somebody_or_at_nothing_is_dropped(entity: dict[str, Any]) -> None:
    assert _kept(entity | {"offset": 0, "length": 4}) == []


@pytest.mark.parametrize("kind", PLAIN)
def test_nothing_rides_along_on_a_kept_entity(kind: str) -> None:
    riding = {
        "url": "tg://user?id=4711",
        "user": {"id": 4711},
        "custom_emoji_id": "4711",
        "unix_time": 4711,
        "a_field_of_tomorrow": 4711,
    }
    assert _kept({"type": kind, "offset": 0, "length": 1} | riding) == [
        {"type": kind, "offset": 0, "length": 1}
    ]


def test_a_block_of_code_keeps_its_language_and_nothing_else_does() -> None:
    entity = {"type": "pre", "offset": 0, "length": 3, "language": "python"}
    assert _kept(entity) == [entity]
    assert _kept(entity | {"type": "bold"}) == [{"type": "bold", "offset": 0, "length": 3}]


def test_a_custom_emoji_keeps_its_id() -> None:
    entity = {"type": "custom_emoji", "offset": 0, "length": 2, "custom_emoji_id": "5368324170671202286"}
    assert _kept(entity, text="🌱") == [entity]


@pytest.mark.parametrize("language", [None, 4711, True, ["x"], {"id": 4711}, float("nan"), float("inf")])
def test_a_language_that_is_no_text_is_not_relayed(language: object) -> None:
    kept = _kept({"type": "pre", "offset": 0, "length": 3, "language": language})
    assert json.dumps(kept, allow_nan=False) == '[{"type": "pre", "offset": 0, "length": 3}]'


@pytest.mark.parametrize("place", [None, "0", 1.5, True, float("nan"), [0], {}, -1, 11, 2**70])
@pytest.mark.parametrize("name", ["offset", "length"])
def test_an_entity_without_a_place_in_the_text_is_dropped(name: str, place: object) -> None:
    entity: dict[str, Any] = {"type": "bold", "offset": 0, "length": 1} | {name: place}
    assert _kept(entity) == []


@pytest.mark.parametrize(("offset", "length"), [(1, 1), (0, 1), (1, 2), (0, 5), (4, 1), (0, 0), (2, 0)])
def test_an_entity_that_tears_a_letter_or_leaves_the_text_is_dropped(offset: int, length: int) -> None:
    assert _kept({"type": "bold", "offset": offset, "length": length}, text="🌱🌱") == []


@pytest.mark.parametrize("kind", [None, 1, ["bold"], {"bold": 1}, "BOLD", ""])
def test_an_entity_of_no_kind_is_dropped(kind: object) -> None:
    assert _kept({"type": kind, "offset": 0, "length": 1}) == []


def test_no_more_than_a_hundred_are_kept() -> None:
    entities = [{"type": "bold", "offset": 0, "length": 1}] * 90 + [
        {"type": "url", "offset": 0, "length": 1}
    ] * 90
    assert len(_kept(*entities)) == 90
    assert len(_kept(*entities, *entities)) == 100


@given(
    entity=st.dictionaries(
        st.sampled_from(["type", "offset", "length", "language", "url", "custom_emoji_id"]),
        st.sampled_from(["pre", "text_link", "custom_emoji"]) | st.text() | st.integers(-1, 11) | st.none(),
    )
)
def test_whatever_an_entity_is_what_is_kept_is_known(entity: dict[str, Any]) -> None:
    for kept in _kept(entity):
        extra = {"pre": {"language"}, "custom_emoji": {"custom_emoji_id"}, "text_link": {"url"}}
        assert kept.keys() - {"type", "offset", "length"} <= extra.get(kept["type"], set())
        assert kept.items() <= entity.items()
