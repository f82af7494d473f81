"""Hidden targets of links are written out, and every other entity stays on its letters."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tricky_texts import tricky_texts

from nekonymous_site.bot.content_links import show_targets
from nekonymous_site.bot.utf16 import Utf16Text, count_units

URL = "https://example.org/x"


def _link(offset: int, length: int, url: str = URL) -> dict[str, Any]:
    return {"type": "text_link", "offset": offset, "length": length, "url": url}


def _bold(offset: int, length: int, kind: str = "bold") -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length}


def test_a_target_stands_right_behind_the_text_of_its_link() -> None:
    assert show_targets("read this now", [_link(5, 4)]) == (f"read this ({URL}) now", [])
    assert show_targets("🌱 این\u200cجا", [_link(3, 6)]) == (f"🌱 این\u200cجا ({URL})", [])


def test_several_links_are_written_out_in_the_order_of_the_text() -> None:
    text, rest = show_targets("one two", [_link(4, 3, "https://b.example"), _link(0, 3, "https://a.example")])
    assert text == "one (https://a.example) two (https://b.example)"
    assert rest == []


@pytest.mark.parametrize(
    ("said", "url"),
    [
        (URL, URL),
        ("example.org/x", URL),
        ("https://example.org", "https://example.org/"),
        ("http://example.org/x", URL),
        (" HTTPS://example.org/x\n", URL),
    ],
)
def test_what_already_says_its_target_is_left_alone(said: str, url: str) -> None:
    assert show_targets(said, [_link(0, count_units(said), url)]) == (said, [])


@pytest.mark.parametrize(
    "said", ["example.org", "https://example.org/X", "https://exampIe.org/x", "example.org/x?a"]
)
def test_what_says_another_target_is_not(said: str) -> None:
    assert show_targets(said, [_link(0, count_units(said))]) == (f"{said} ({URL})", [])


@pytest.mark.parametrize("url", ["tg://user?id=4711", "TG://resolve?domain=alice", " tg:user?id=4711"])
def test_a_target_inside_the_app_is_dropped_unseen(url: str) -> None:
    assert show_targets("hello you", [_link(6, 3, url)]) == ("hello you", [])


def test_a_link_that_starts_a_bot_is_written_out_in_full() -> None:
    url = "https://t.me/some_bot?start=tracked-4711"
    assert show_targets("tap", [_link(0, 3, url)])[0] == f"tap ({url})"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.org/a b\nc", "https://example.org/a%20b%0Ac"),
        ("https://example.org/\u202egpj", "https://example.org/%E2%80%AEgpj"),
        ("https://example.org/خانه\u200cها", "https://example.org/خانه%E2%80%8Cها"),
    ],
)
def test_nothing_invisible_is_written_out(url: str, shown: str) -> None:
    assert show_targets("a", [_link(0, 1, url)])[0] == f"a ({shown})"


def test_the_other_entities_move_along() -> None:
    entities = [_bold(0, 2), _link(3, 4), _bold(3, 4), _bold(2, 7), _bold(5, 4), _bold(7, 2)]
    text, moved = show_targets("🌱 this 🌱", entities)
    assert text == f"🌱 this ({URL}) 🌱"
    grown = count_units(f" ({URL})")
    assert moved == [_bold(0, 2), _bold(3, 4), _bold(2, 7 + grown), _bold(5, 4 + grown), _bold(7 + grown, 2)]


@pytest.mark.parametrize("kind", ["spoiler", "blockquote", "expandable_blockquote"])
def test_what_covers_a_link_to_its_end_covers_its_target(kind: str) -> None:
    text, moved = show_targets("see this", [_link(4, 4), _bold(4, 4, kind)])
    assert moved == [_bold(4, count_units(text) - 4, kind)]


def test_a_custom_emoji_is_not_torn() -> None:
    emoji = {"type": "custom_emoji", "offset": 0, "length": 4, "custom_emoji_id": "1"}
    assert show_targets("🌱🌱", [_link(0, 2), emoji]) == (f"🌱 ({URL})🌱", [])
    assert show_targets("🌱🌱", [_link(0, 4), emoji])[1] == [emoji]


def test_a_flood_of_targets_ends_in_ellipses() -> None:
    long = "https://example.org/" + "p" * 1000
    text, _ = show_targets("x" * 100, [_link(place, 1, long) for place in range(100)])
    assert text.count(long) == 4
    assert text.count(" (…)") == 96
    assert count_units(text) < 100 + 4096 + 100 * 4 + 20


@given(data=st.data(), text=tricky_texts())
def test_without_what_was_written_in_everything_is_where_it_was(data: st.DataObject, text: str) -> None:
    written = f" ({URL})"
    units = [count_units(text[:index]) for index in range(len(text) + 1)]
    places = st.tuples(*[st.integers(0, len(text))] * 2).map(sorted)
    drawn = [(units[a], units[b] - units[a]) for a, b in data.draw(st.lists(places, max_size=6)) if a < b]
    half = len(drawn) // 2
    links, others = [_link(*place) for place in drawn[:half]], [_bold(*place) for place in drawn[half:]]
    shown, moved = show_targets(text, [*links, *others])
    assert shown.count(written) == len(links)
    assert shown.replace(written, "") == text
    for before, after in zip(others, moved, strict=True):
        assert _covered(shown, after).replace(written, "") == _covered(text, before)


def _covered(text: str, entity: dict[str, Any]) -> str:
    return Utf16Text(text).cut(entity["offset"], end=entity["offset"] + entity["length"])
