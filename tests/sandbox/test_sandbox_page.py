"""The page's files and its stream of events, over HTTP."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import requests

from nekonymous_site.sandbox.event_stream import MAX_STREAMS
from nekonymous_site.sandbox.faults import FaultKind
from tests.sandbox.sandbox_process import RunningSandbox, await_that

PAGE = Path(__file__).resolve().parents[2] / "nekonymous_site" / "sandbox" / "page"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


def _get(sandbox: RunningSandbox, path: str, **headers: str) -> requests.Response:
    return requests.get(f"{sandbox.base_url}{path}", timeout=5, headers={"Connection": "close", **headers})


@contextmanager
def _stream(sandbox: RunningSandbox) -> Iterator[requests.Response]:
    with requests.get(f"{sandbox.base_url}/sandbox/events", stream=True, timeout=5) as response:
        yield response


def _events(response: requests.Response) -> Iterator[tuple[str, dict[str, object]]]:
    name = ""
    for line in response.iter_lines(chunk_size=1, decode_unicode=True):
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def _await_event(events: Iterator[tuple[str, dict[str, object]]], name: str) -> dict[str, object]:
    return next(data for found, data in events if found == name)


def test_the_page_comes_under_a_strict_policy(sandbox: RunningSandbox) -> None:
    response = _get(sandbox, "/")
    assert response.status_code == 200
    assert response.headers["Content-Security-Policy"] == POLICY
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("name", sorted(path.name for path in PAGE.iterdir()))
def test_every_part_has_its_type_and_comes_whole(sandbox: RunningSandbox, name: str) -> None:
    response = _get(sandbox, f"/page/{name}")
    assert response.headers["Content-Type"] == f"{TYPES[Path(name).suffix]}; charset=utf-8"
    assert response.headers["Content-Security-Policy"] == POLICY
    assert response.content == (PAGE / name).read_bytes()


@pytest.mark.parametrize(
    "path", ["/page/none.js", "/page/..%2fguide.txt", "/page/%2e%2e/guide.txt", "/page/"]
)
def test_nothing_else_is_served(sandbox: RunningSandbox, path: str) -> None:
    assert _get(sandbox, path).status_code == 404


def test_no_part_is_long() -> None:
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in PAGE.iterdir()}
    assert {name: lines for name, lines in lengths.items() if lines > 250} == {}


def test_the_page_speaks_both_languages_of_everything() -> None:
    words = {
        language: set(re.findall(r"^  (\w+):", (PAGE / f"words-{language}.js").read_text(), re.MULTILINE))
        for language in ("en", "fa")
    }
    assert words["en"] == words["fa"]
    assert len(words["en"]) > 100


def test_another_sites_page_hears_nothing(sandbox: RunningSandbox) -> None:
    for path in ("/sandbox/events", "/sandbox/page-data", "/"):
        assert _get(sandbox, path, Origin="https://elsewhere.example").status_code == 403
        assert _get(sandbox, path, Host="elsewhere.example").status_code == 403


def test_the_page_learns_what_the_sandbox_can_do(sandbox: RunningSandbox) -> None:
    data = _get(sandbox, "/sandbox/page-data").json()
    assert data["fault_kinds"] == list(FaultKind)
    assert {"sendMessage", "getUpdates"} <= set(data["methods"])
    assert "👍" in data["reaction_emoji"]
    assert data["max_text_units"] == 4096


def test_the_latest_calls_come_newest_first_and_without_what_they_carried(sandbox: RunningSandbox) -> None:
    zoe = sandbox.people.person("Zoe")
    zoe.says("/start")
    for number in range(70):
        sandbox.post("sendMessage", json={"chat_id": zoe.id, "text": f"words {number}"})
    response = _get(sandbox, "/sandbox/latest-calls")
    calls = response.json()["calls"]
    assert len(calls) == 60
    assert calls[0]["at"] >= calls[-1]["at"]
    assert {call["method"] for call in calls} == {"sendMessage"}
    assert "words" not in response.text


def test_a_stream_tells_first_everything_and_then_what_changes(sandbox: RunningSandbox) -> None:
    ann = sandbox.people.person("Ann")
    with _stream(sandbox) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream")
        events = _events(response)
        assert _await_event(events, "hello")["run"]
        people = _await_event(events, "people")["people"]
        assert isinstance(people, list)
        assert people[-1]["id"] == ann.id
        assert _await_event(events, "chats")[str(ann.id)] == 0
        assert _await_event(events, "traffic")["faults"] == []
        ann.says("hello")
        assert _await_event(events, "chats") == {str(ann.id): 1}
        sandbox.people.inject_fault("rate_limited", count=2)
        faults = next(data["faults"] for name, data in events if name == "traffic" and data["faults"])
        assert isinstance(faults, list)
        assert faults[0]["count"] == 2
        ann.blocks_bot()
        changed = _await_event(events, "people")["people"]
        assert isinstance(changed, list)
        assert changed[-1]["has_blocked_bot"] is True


def test_streams_are_counted_and_given_back(sandbox: RunningSandbox) -> None:
    with ExitStack() as opened:
        for _number in range(MAX_STREAMS):
            assert opened.enter_context(_stream(sandbox)).status_code == 200
        refused = _get(sandbox, "/sandbox/events")
        assert refused.status_code == 503
        assert "pages are open" in refused.json()["error"]

    def is_served_again() -> bool:
        with _stream(sandbox) as response:
            return response.status_code == 200

    await_that(is_served_again, what="a stream that is free again")


def test_open_streams_do_not_keep_it_from_stopping(own_state: Path) -> None:
    running = RunningSandbox(own_state)
    with _stream(running) as response:
        _await_event(_events(response), "hello")
        started = time.monotonic()
        assert running.stop() == 0
        assert time.monotonic() - started < 3
