"""When a failed delivery is tried again, as pure arithmetic."""

import pytest

from nekonymous_site.sandbox.redelivery import find_delay_seconds, read_answered_call, read_retry_after


def test_the_first_failure_is_tried_again_at_once_and_then_the_wait_doubles() -> None:
    delays = [find_delay_seconds(failures, asked_for=None, cap_seconds=60) for failures in range(1, 9)]
    assert delays == [0, 2, 4, 8, 16, 32, 60, 60]


def test_what_the_webhook_asks_for_goes_before_the_doubling_and_above_the_cap() -> None:
    assert find_delay_seconds(1, asked_for=90, cap_seconds=60) == 90
    assert find_delay_seconds(1_000_000, asked_for=None, cap_seconds=8) == 8


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("", None),
        ("0", None),
        ("5", 5),
        ("3600", 3600),
        ("999999", 3600),
        ("-5", None),
        ("1.5", None),
        ("۵", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_a_retry_after_is_whole_seconds_up_to_an_hour(header: str, seconds: float | None) -> None:
    assert read_retry_after(header) == seconds


@pytest.mark.parametrize("body", [b"", b"[]", b'"x"', b"{", b"\xff", b"[" * 100_000, b'{"ok": true}'])
def test_other_answers_hold_no_call(body: bytes) -> None:
    assert read_answered_call(body, content_type="application/json") is None
