"""A marked value and every form in which it could be recognised."""

import base64
import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, quote_plus

# A shorter value would be found by chance in what is random anyway.
FEWEST_CHARACTERS: Final = 6
_HEX_RUN: Final = re.compile(rb"(?:[0-9a-fA-F]{2}){8,}")
# As Valkey's MONITOR and Python's repr write bytes.
_ESCAPE: Final = re.compile(rb"\\(x[0-9a-fA-F]{2}|[abfnrtv\\\"'])")
_ESCAPED: Final = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_WHOLE_NUMBER: Final = re.compile(r"[0-9]{6,19}")
# As wide as Postgres and Python's own formats write a Telegram id.
_ID_BYTES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One value, known to readers of a report by its kind alone."""

    kind: str
    in_any_case: tuple[bytes, ...] = field(repr=False)
    exact: tuple[bytes, ...] = field(repr=False)

    def is_in(self, searched: "Searched") -> bool:
        """Whether a content holds the value in any form."""
        return any(form in searched.lowered for form in self.in_any_case) or any(
            form in searched.content for form in self.exact
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A content made ready: with all hexadecimal runs and escapes in it read as bytes as well."""

    content: bytes = field(repr=False)
    lowered: bytes = field(repr=False)

    @classmethod
    def of(cls, content: bytes) -> "Searched":
        """Make a content ready."""
        runs = (bytes.fromhex(run.group().decode("ascii")) for run in _HEX_RUN.finditer(content))
        unfolded = b"\n".join((content, _ESCAPE.sub(_unescape, content), *runs))
        return cls(content=unfolded, lowered=unfolded.lower())


def make_mark(kind: str, value: str) -> Mark:
    """Prepare a value to be looked for. Raises ValueError, without the value, if it is too short."""
    if len(value) < FEWEST_CHARACTERS:
        reason = f"a value has {FEWEST_CHARACTERS} characters or more, or it would be found by chance"
        raise ValueError(reason)
    raw_forms = tuple(_raw_forms(value))
    spelled = {form.encode().lower() for form in _spelled_forms(value)} | {
        raw.hex().encode() for raw in raw_forms
    }
    exact = {*raw_forms, *(form for raw in _base64_sources(value) for form in _base64_forms(raw))}
    return Mark(kind=kind, in_any_case=tuple(sorted(spelled)), exact=tuple(sorted(exact)))


def find_kinds(content: bytes, *, marks: Iterable[Mark]) -> list[str]:
    """Name the kinds of the marks that a content holds in any form, each once."""
    searched = Searched.of(content)
    return sorted({mark.kind for mark in marks if mark.is_in(searched)})


def _unescape(escape: re.Match[bytes]) -> bytes:
    written = escape[1]
    return (
        bytes.fromhex(written[1:].decode("ascii")) if written[0:1] == b"x" else _ESCAPED.get(written, written)
    )


def _spelled_forms(value: str) -> Iterator[str]:
    """As text, and as JSON, Python, a URL and Valkey's MONITOR write what is not plain ASCII."""
    yield value
    yield json.dumps(value)[1:-1]
    yield value.encode("unicode_escape").decode("ascii")
    yield quote(value)
    yield quote(value, safe="")
    yield quote_plus(value)


def _raw_forms(value: str) -> Iterator[bytes]:
    """As bytes: UTF-8, UTF-16 of both byte orders, and for a number its own bytes in both orders."""
    yield value.encode()
    yield value.encode("utf-16-le")
    yield value.encode("utf-16-be")
    if _WHOLE_NUMBER.fullmatch(value):
        number = int(value)
        length = max(math.ceil(number.bit_length() / 8), _ID_BYTES // 2)
        yield number.to_bytes(length, "big")
        yield number.to_bytes(length, "little")


def _base64_sources(value: str) -> Iterator[bytes]:
    """What could stand in base64; a number in its full width, since few bytes make a form found by chance."""
    yield value.encode()
    yield value.encode("utf-16-le")
    yield value.encode("utf-16-be")
    if _WHOLE_NUMBER.fullmatch(value):
        yield int(value).to_bytes(_ID_BYTES, "big")
        yield int(value).to_bytes(_ID_BYTES, "little")


def _base64_forms(raw: bytes) -> Iterator[bytes]:
    """Both alphabets, at each place in a group of three bytes; only what depends on nothing else."""
    for before in range(3):
        first, last = math.ceil(8 * before / 6), 8 * (before + len(raw)) // 6
        padded = bytes(before) + raw
        yield base64.b64encode(padded)[first:last]
        yield base64.urlsafe_b64encode(padded)[first:last]
