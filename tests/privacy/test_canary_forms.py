"""The control of the sweep: a value is found in every form that it could have."""

import base64
import json
from collections.abc import Callable
from functools import partial
from urllib.parse import quote

import pytest

from nekonymous_site.canaries.expected_findings import EXPECTED, leaks_among, unneeded_among
from nekonymous_site.canaries.ledger import Finding
from nekonymous_site.canaries.marks import find_kinds, make_mark

WORD = "قناری می‌نویسد: kanarya-77/31+ø 🐈"
USER_ID = "8589934592731"
MARKS = (make_mark("word", WORD), make_mark("id", USER_ID))


def _in_base64(raw: bytes, *, before: int, alphabet: Callable[[bytes], bytes]) -> bytes:
    return alphabet(b"\xff" * before + raw + b"and more")


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "itself": lambda raw: raw,
    "in capitals": lambda raw: raw.upper(),
    "hexadecimal": lambda raw: raw.hex().encode(),
    "hexadecimal in capitals": lambda raw: raw.hex().upper().encode(),
    "Postgres' bytes": lambda raw: b"\\x" + raw.hex().encode(),
    "escaped for Python": lambda raw: repr(raw).encode(),
    "in a URL": lambda raw: quote(raw).encode(),
    **{
        f"base64 {before} bytes in, {alphabet.__name__}": partial(
            _in_base64, before=before, alphabet=alphabet
        )
        for before in range(4)
        for alphabet in (base64.b64encode, base64.urlsafe_b64encode)
    },
    "base64 in Postgres' bytes": lambda raw: base64.b64encode(b"?" + raw).hex().encode(),
}
SPELLED: dict[str, Callable[[str], bytes]] = {
    "JSON": lambda text: json.dumps({"text": text}).encode(),
    "unicode escapes": lambda text: text.encode("unicode_escape"),
    "UTF-16, little end first": lambda text: text.encode("utf-16-le"),
    "UTF-16, big end first": lambda text: text.encode("utf-16-be"),
    "UTF-16 in Postgres' bytes": lambda text: text.encode("utf-16").hex().encode(),
    "UTF-16 in base64": lambda text: base64.b64encode(b"a" + text.encode("utf-16-le")),
}
NUMBERS: dict[str, Callable[[int], bytes]] = {
    "eight bytes": lambda number: number.to_bytes(8, "big"),
    "eight bytes reversed": lambda number: number.to_bytes(8, "little"),
    "six bytes in hexadecimal": lambda number: number.to_bytes(6, "big").hex().encode(),
    "reversed in hexadecimal": lambda number: number.to_bytes(8, "little").hex().encode(),
    "base64": lambda number: base64.b64encode(b"ab" + number.to_bytes(8, "big") + b"c"),
    "base64 reversed": lambda number: base64.urlsafe_b64encode(number.to_bytes(8, "little")),
}


@pytest.mark.parametrize("form", FORMS)
def test_bytes_are_found_in_every_form(form: str) -> None:
    assert find_kinds(b"before " + FORMS[form](WORD.encode()) + b" after", marks=MARKS) == ["word"]
    assert find_kinds(FORMS[form](b"nobody wrote this"), marks=MARKS) == []


@pytest.mark.parametrize("form", SPELLED)
def test_a_text_is_found_in_every_spelling(form: str) -> None:
    assert find_kinds(b"before " + SPELLED[form](WORD) + b" after", marks=MARKS) == ["word"]
    assert find_kinds(SPELLED[form]("nobody wrote this"), marks=MARKS) == []


@pytest.mark.parametrize("form", NUMBERS)
def test_an_id_is_found_as_a_number(form: str) -> None:
    assert find_kinds(b"before " + NUMBERS[form](int(USER_ID)) + b" after", marks=MARKS) == ["id"]
    assert find_kinds(NUMBERS[form](int(USER_ID) + 2**20), marks=MARKS) == []


def test_a_value_that_would_be_found_by_chance_is_refused() -> None:
    with pytest.raises(ValueError, match="6 characters or more") as refused:
        make_mark("word", "12345")
    assert "12345" not in str(refused.value)
    assert WORD not in repr(MARKS)


def test_what_is_expected_elsewhere_or_in_vain_is_not_passed_over() -> None:
    entry = EXPECTED[0]
    met = Finding(group=entry.group, place=entry.place, kind=entry.kind, moment="now")
    others = [
        Finding(group=entry.group, place="outbox.intent", kind=entry.kind, moment="now"),
        Finding(group=entry.group, place=entry.place, kind="nickname", moment="now"),
    ]
    assert leaks_among([met, *others]) == others
    assert unneeded_among([met, *others], has_own_servers=True) == list(EXPECTED[1:])
    here = [one for one in EXPECTED[1:] if not one.with_own_servers]
    assert unneeded_among([met, *others], has_own_servers=False) == here
    assert all(one.reason for one in EXPECTED)
