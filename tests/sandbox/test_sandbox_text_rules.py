"""What the server does to a text and its entities before it sends them."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nekonymous_site.sandbox.entity_nesting import nest_entities
from nekonymous_site.sandbox.people import Person
from tests.sandbox.sandbox_process import RunningSandbox

KINDS = ("bold", "italic", "spoiler", "blockquote", "code", "pre", "text_link", "custom_emoji", "url")
STYLES = {"bold", "italic", "spoiler"}


@pytest.fixture
def sara(sandbox: RunningSandbox) -> Person:
    sara = sandbox.people.person()
    sara.says("/start")
    return sara


def _entity(kind: str, offset: int, length: int) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length}


@pytest.mark.parametrize(
    "text", [" ", "\n\t ", "\u200c\u200d", "\u2800", "\ufffc", "\u202e \u3000", "\U000e0041", "\u200b\u00a0"]
)
def test_a_text_of_which_nothing_shows_is_refused(sandbox: RunningSandbox, sara: Person, text: str) -> None:
    refused = sandbox.refused("sendMessage", chat_id=sara.id, text=text)
    assert refused == (400, "Bad Request: text must be non-empty")
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="x")
    where = {"chat_id": sara.id, "message_id": sent["message_id"]}
    assert sandbox.refused("editMessageText", **where, text=text) == refused


def test_blanks_around_a_text_are_cut_and_its_entities_move(sandbox: RunningSandbox, sara: Person) -> None:
    bold = [_entity("bold", 5, 7)]
    sent = sandbox.call("sendMessage", chat_id=sara.id, text=" \n hi there \n", entities=bold)
    assert (sent["text"], sent["entities"]) == ("hi there", [_entity("bold", 2, 6)])
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="  hi", entities=[_entity("bold", 1, 2)])
    assert (sent["text"], sent["entities"]) == (" hi", [_entity("bold", 0, 2)])


def test_the_limit_counts_what_is_left_after_cutting(sandbox: RunningSandbox, sara: Person) -> None:
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="\n\n" + "x" * 4096 + "  ")
    assert len(sent["text"]) == 4096
    where = {"chat_id": sara.id, "message_id": sent["message_id"]}
    too_long = (400, "Bad Request: message is too long")
    assert sandbox.refused("editMessageText", **where, text="x" * 4095 + "😀") == too_long
    sandbox.call("editMessageText", **where, text="x" * 4094 + "😀")


def test_a_caption_of_which_nothing_shows_is_none(sandbox: RunningSandbox, sara: Person) -> None:
    sara.sends("photo")
    sent = sandbox.call("sendPhoto", chat_id=sara.id, photo=sara.sees()[-1].file_id, caption=" \u200b")
    assert "caption" not in sent


@pytest.mark.parametrize(
    ("given_entities", "expected"),
    [
        # A style that begins in another one is cut where that one ends.
        (
            [("bold", 0, 5), ("italic", 3, 5)],
            [("bold", 0, 5), ("italic", 3, 2), ("italic", 5, 3)],
        ),
        # The same style twice is once.
        ([("bold", 0, 5), ("bold", 3, 5)], [("bold", 0, 8)]),
        ([("bold", 0, 5), ("bold", 0, 5)], [("bold", 0, 5)]),
        # What cannot be cut goes if it overlaps something earlier that cannot be cut.
        ([("text_link", 0, 5), ("text_link", 3, 5)], [("text_link", 0, 5)]),
        ([("text_link", 0, 5), ("code", 1, 2)], [("text_link", 0, 5)]),
        # Styles are cut at the borders of links, and left out of code.
        (
            [("bold", 0, 5), ("text_link", 3, 5)],
            [("bold", 0, 3), ("text_link", 3, 5), ("bold", 3, 2)],
        ),
        ([("bold", 0, 9), ("code", 3, 2)], [("bold", 0, 3), ("code", 3, 2), ("bold", 5, 4)]),
        ([("pre", 0, 9), ("bold", 3, 2)], [("pre", 0, 9)]),
        # Quotes hold everything but quotes.
        (
            [("blockquote", 0, 9), ("text_link", 2, 3), ("bold", 0, 9), ("blockquote", 4, 2)],
            [("blockquote", 0, 9), ("bold", 0, 9), ("text_link", 2, 3)],
        ),
        ([("text_link", 0, 4), ("custom_emoji", 1, 2)], [("text_link", 0, 4), ("custom_emoji", 1, 2)]),
        # What is nested already stays as it is, in the order of the text.
        (
            [("italic", 2, 3), ("bold", 0, 9), ("url", 6, 2)],
            [("bold", 0, 9), ("italic", 2, 3), ("url", 6, 2)],
        ),
    ],
)
def test_entities_that_overlap_are_mended(
    given_entities: list[tuple[str, int, int]], expected: list[tuple[str, int, int]]
) -> None:
    mended = nest_entities([_entity(*one) for one in given_entities])
    assert [(one["type"], one["offset"], one["length"]) for one in mended] == expected


@given(
    st.lists(st.builds(_entity, st.sampled_from(KINDS), st.integers(0, 12), st.integers(1, 8)), max_size=9)
)
def test_mended_entities_never_overlap_by_half(entities: list[dict[str, Any]]) -> None:
    mended = nest_entities(entities)
    spans = [(one["offset"], one["offset"] + one["length"]) for one in mended]
    for (first, second), (one, other) in zip(combinations(spans, 2), combinations(mended, 2), strict=True):
        is_apart = first[1] <= second[0] or second[1] <= first[0]
        is_inside = first[0] <= second[0] and second[1] <= first[1]
        assert is_apart or is_inside
        if not is_apart:
            assert one["type"] not in {"code", "pre"}
            assert one["type"] != other["type"]
    assert nest_entities(mended) == mended


@given(
    st.lists(st.builds(_entity, st.sampled_from(KINDS), st.integers(0, 12), st.integers(1, 8)), max_size=9)
)
def test_mending_styles_changes_no_letter_outside_of_code(entities: list[dict[str, Any]]) -> None:
    mended = nest_entities(entities)
    for style in STYLES:
        before, after, coded = (
            {
                place
                for one in some
                if one["type"] in kinds
                for place in range(one["offset"], one["offset"] + one["length"])
            }
            for some, kinds in ((entities, {style}), (mended, {style}), (mended, {"code", "pre"}))
        )
        assert after == before - coded


def test_numbers_of_an_entity_may_be_texts(sandbox: RunningSandbox, sara: Person) -> None:
    entities = [{"type": "bold", "offset": "0", "length": "2"}]
    sent = sandbox.call("sendMessage", chat_id=sara.id, text="hi", entities=entities)
    assert sent["entities"] == [_entity("bold", 0, 2)]


@pytest.mark.parametrize(("offset", "length"), [(-1, 1), (0, -1), ("x", 1), (True, 1), (None, 1), (0, 1.5)])
def test_other_numbers_of_an_entity_are_refused(
    sandbox: RunningSandbox, sara: Person, offset: object, length: object
) -> None:
    entities = [{"type": "bold", "offset": offset, "length": length}]
    code, description = sandbox.refused("sendMessage", chat_id=sara.id, text="hi", entities=entities)
    assert code == 400
    assert description.startswith("Bad Request: can't parse MessageEntity: ")


def test_links_are_found_inside_of_styles_but_not_in_code(sandbox: RunningSandbox, sara: Person) -> None:
    text = "see https://t.me/x and https://t.me/y"
    entities = [_entity("bold", 0, 37), _entity("code", 23, 14)]
    sent = sandbox.call("sendMessage", chat_id=sara.id, text=text, entities=entities)
    assert sent["entities"] == [_entity("bold", 0, 23), _entity("url", 4, 14), _entity("code", 23, 14)]
