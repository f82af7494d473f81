"""From untrusted bytes to an update: what is refused, with which word, and what is cleaned on the way."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nekonymous_site.bot.incoming_json import UnusableUpdate, read_update
from nekonymous_site.bot.update_models import Update


def _message(**changes: object) -> dict[str, Any]:
    chat = {"id": 5, "type": "private"}
    return {"message_id": 1, "chat": chat, "from": {"id": 5}, "text": "hello"} | changes


def _raw(**fields: object) -> bytes:
    return json.dumps({"update_id": 1} | fields).encode()


def _refusal(raw: bytes) -> str:
    with pytest.raises(UnusableUpdate) as refusal:
        read_update(raw)
    return str(refusal.value)


def _nested(levels: int, *, innermost: str = "1") -> bytes:
    """An update whose objects and arrays are `levels` deep, itself included."""
    inside = levels - 1
    return b'{"update_id": 1, "x": ' + b"[" * inside + innermost.encode() + b"]" * inside + b"}"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b" ",
        b"{",
        b'{"update_id": 1,}',
        b"update",
        b"\x00",
        b"\xff\xfe\xff",
        b'{"update_id": 1, "x": "\x80"}',
        b'{"update_id": 1} trailing',
        b'{"update_id": ' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_no_json_is_named_so(raw: bytes) -> None:
    assert _refusal(raw) == "not_json"


@pytest.mark.parametrize("raw", [b"[]", b"[1, 2]", b'"text"', b"1", b"null", b"true", b"NaN", b"-Infinity"])
def test_what_is_no_object_is_named_so(raw: bytes) -> None:
    assert _refusal(raw) == "not_an_object"


@pytest.mark.parametrize(
    "update_id",
    ["null", "true", "false", '"7"', "7.0", "-1", "[7]", "{}", "NaN", "1e3", str(2**63), "9" * 400],
)
def test_an_id_that_the_database_could_not_keep_is_none(update_id: str) -> None:
    assert _refusal(f'{{"update_id": {update_id}}}'.encode()) == "no_update_id"


def test_a_missing_id_is_named_so() -> None:
    assert _refusal(b"{}") == "no_update_id"


@pytest.mark.parametrize("update_id", [0, 1, 2**31, 2**63 - 1])
def test_every_id_that_the_database_can_keep_is_taken(update_id: int) -> None:
    assert read_update(json.dumps({"update_id": update_id}).encode()).update_id == update_id


@pytest.mark.parametrize("innermost", ["1", '"x"', "", "null"])
def test_sixty_four_levels_are_taken_and_sixty_five_are_too_deep(innermost: str) -> None:
    assert read_update(_nested(64, innermost=innermost)).update_id == 1
    assert _refusal(_nested(65, innermost=innermost)) == "too_deep"


@pytest.mark.parametrize("levels", [1_000, 100_000])
def test_no_depth_breaks_the_reader(levels: int) -> None:
    assert _refusal(_nested(levels)) == "too_deep"
    assert _refusal(b"[" * levels) in {"too_deep", "not_json"}
    assert _refusal(b'{"a":' * levels) in {"too_deep", "not_json"}


def test_a_wide_update_is_not_a_deep_one() -> None:
    assert read_update(_raw(x=[[]] * 50_000)).update_id == 1


def test_nul_goes_and_lone_surrogates_are_replaced() -> None:
    raw = b'{"update_id": 1, "message": {"message_id": 1, "chat": {"id": 5, "type": "private"},'
    raw += b' "text": "a\\u0000b\\ud800c\\udfffd\\ud83c\\udf31"}}'
    message = read_update(raw).message
    assert message is not None
    assert message.text == "ab\ufffdc\ufffdd\U0001f331"


def test_what_is_cleaned_everywhere_can_be_encoded() -> None:
    entities = [{"type": "pre", "offset": 0, "length": 1, "language": "\ud800\0", "\0\udc00": ["\0"]}]
    message = read_update(_raw(message=_message(entities=entities))).message
    assert message is not None
    json.dumps(message.model_dump(), ensure_ascii=False).encode()
    assert "\0" not in str(message.model_dump())


def test_the_last_of_two_equal_names_counts_and_is_checked() -> None:
    assert read_update(b'{"update_id": 1, "update_id": 2}').update_id == 2
    assert _refusal(b'{"update_id": 1, "update_id": true}') == "no_update_id"


@pytest.mark.parametrize("forged", [b"-3", b"99999999999999999999999", b"true", b'"x"'])
def test_no_name_becomes_another_by_being_cleaned(forged: bytes) -> None:
    raw = b'{"update_id": 1, "update_id\\u0000": ' + forged + b"}"
    assert _refusal(raw) in {"no_update_id", "malformed"}


def test_numbers_that_are_none_do_no_harm() -> None:
    assert read_update(b'{"update_id": 1, "x": [NaN, Infinity, -Infinity, 1e999]}').update_id == 1


@pytest.mark.parametrize(
    "message",
    [
        [],
        "text",
        {"message_id": 1},
        _message(chat={"id": "x", "type": "private"}),
        _message(chat={"id": 2**200, "type": "private"}),
        _message(message_id=10**300),
        _message(chat={"id": float("nan"), "type": "private"}),
        _message(text=["hello"]),
        _message(entities="bold"),
        _message(entities=["bold"]),
        _message(caption=["hello"]),
        _message(caption_entities="bold"),
        _message(**{"from": {"id": None}}),
        _message(reply_to_message={"message_id": 1, "reply_markup": {"inline_keyboard": [1]}}),
    ],
)
def test_a_known_kind_of_another_shape_is_malformed(message: object) -> None:
    assert _refusal(_raw(message=message)) == "malformed"


def test_unknown_kinds_and_fields_are_no_errors() -> None:
    assert read_update(_raw(a_kind_of_tomorrow={"x": 1})).message is None
    message = read_update(_raw(message=_message(a_field_of_tomorrow={"y": [None]}))).message
    assert message is not None
    assert message.text == "hello"


def test_a_reason_never_quotes_the_update() -> None:
    for raw in (b"canary-4711", _raw(message={"canary-4711": 1}), b'["canary-4711"]'):
        assert "canary-4711" not in _refusal(raw)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    value=st.fixed_dictionaries(
        {}, optional={"update_id": json_values, "message": json_values, "callback_query": json_values}
    )
)
def test_whatever_comes_is_an_update_or_refused(value: dict[str, Any]) -> None:
    try:
        update = read_update(json.dumps(value).encode())
    except UnusableUpdate:
        return
    assert isinstance(update, Update)
    assert 0 <= update.update_id < 2**63


@given(raw=st.binary(max_size=40))
def test_whatever_bytes_come_nothing_else_is_raised(raw: bytes) -> None:
    reasons = {"not_json", "not_an_object", "no_update_id", "too_deep", "malformed"}
    assert _outcome(raw) in reasons | {"taken"}


def _outcome(raw: bytes) -> str:
    try:
        read_update(raw)
    except UnusableUpdate as reason:
        return str(reason)
    return "taken"
