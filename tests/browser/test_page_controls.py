"""The switches beside the chats: people, faults, rates, calls; and a sandbox that goes and comes back."""

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
import requests
from opened_page import PageOpener
from page_people import meet, opened_column, send
from playwright.sync_api import expect
from product import free_port

from nekonymous_site.sandbox.event_stream import MAX_STREAMS
from nekonymous_site.sandbox.people import Person
from tests.sandbox.sandbox_process import RunningSandbox, await_that


def test_two_people_are_made_up_where_there_is_nobody(tmp_path: Path, open_page: PageOpener) -> None:
    empty = RunningSandbox(tmp_path / "state.json")
    try:
        opened = open_page(empty)
        opened.page.get_by_role("button", name="Make Sara and Adam up").click()
        expect(opened.column("Sara").root).to_be_visible()
        expect(opened.column("Adam").root).to_be_visible()
        story = opened.page.get_by_role("region", name="A story to try")
        expect(story.get_by_role("listitem")).to_have_count(3)
        expect(story).to_contain_text("As Sara, press Start")
        story.get_by_role("button", name="Hide the story").click()
        expect(story).to_have_count(0)
        help_button = opened.page.get_by_role("button", name="A story to try")
        expect(help_button).to_be_focused()
        help_button.click()
        expect(story).to_be_visible()
        opened.column("Sara").root.get_by_role("button", name="Start", exact=True).click()
        expect(opened.column("Sara").message("/start")).to_be_visible()
        sara, _adam = empty.people.people()
        send(empty, sara, "https://t.me/nekonymous_sandbox_bot?start=x")
        expect(story.get_by_role("listitem").first).to_contain_text("done")
        assert sara.sees()[0].text == "/start"
    finally:
        empty.stop()


def test_the_storys_steps_are_the_readers_to_take(tmp_path: Path, open_page: PageOpener) -> None:
    """What two people have done before the page was opened, as `up` lets them, ticks the link and no more."""
    walked = RunningSandbox(tmp_path / "state.json")
    try:
        sara, adam = walked.people.person("Sara"), walked.people.person("Adam")
        _walk(walked, owner=sara, visitor=adam)
        opened = open_page(walked)
        steps = opened.page.get_by_role("region", name="A story to try").get_by_role("listitem")
        expect(steps.nth(0)).to_contain_text("done")
        expect(opened.column("Adam").message("Hello.")).to_be_visible()
        expect(steps.nth(1)).not_to_contain_text("done")
        opened.column("Adam").writes("/start slug")
        opened.column("Adam").writes("Hello again.")
        expect(steps.nth(1)).to_contain_text("done")
        expect(steps.nth(2)).not_to_contain_text("done")
    finally:
        walked.stop()


def _walk(sandbox: RunningSandbox, *, owner: Person, visitor: Person) -> None:
    owner.says("/start")
    send(sandbox, owner, "https://t.me/nekonymous_sandbox_bot?start=slug")
    visitor.says("/start slug")
    visitor.says("Hello.")
    sandbox.call("sendMessage", chat_id=owner.id, text="Hello.", protect_content=True)
    owner.says("Thank you.")


def test_somebody_new_needs_a_name(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    opened = open_page(page_sandbox)
    opened.page.get_by_role("button", name="Somebody new").click()
    dialog = opened.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Make up").click()
    expect(dialog.get_by_role("alert")).to_have_text("A name is needed.")
    for _round in range(6):
        opened.page.keyboard.press("Tab")
        assert dialog.evaluate("it => it.contains(document.activeElement)")
    dialog.get_by_label("Name").fill("مینا")
    dialog.get_by_label("Name").press("Enter")
    expect(opened.column("مینا").root).to_be_visible()
    assert page_sandbox.people.people()[-1].first_name == "مینا"


def test_a_person_changes_language_blocks_and_leaves(
    page_sandbox: RunningSandbox, open_page: PageOpener
) -> None:
    walt = meet(page_sandbox, "Walt")
    opened = open_page(page_sandbox)
    column = opened_column(opened, walt)
    column.root.get_by_label("Language of their Telegram").select_option("de")
    expect(column.notes).to_contain_text("The bot learns it")
    more = column.root.get_by_role("button", name=re.compile("More for"))
    more.click()
    opened.page.get_by_role("menuitem", name="Block the bot").click()
    expect(column.root).to_contain_text("has blocked the bot")
    assert page_sandbox.refused("sendMessage", chat_id=walt.id, text="x")[0] == 403
    expect(column.field).to_be_hidden()
    column.root.get_by_role("button", name="Unblock the bot").click()
    expect(column.field).to_be_visible()
    column.writes("back")
    await_that(lambda: walt.sees()[-1].text == "back", what="the message")
    assert walt.sees()[-1].raw["from"]["language_code"] == "de"
    more.click()
    opened.page.get_by_role("menuitem", name="Leave Telegram for good").click()
    expect(column.root.get_by_role("button", name="has left Telegram")).to_be_disabled()
    more.click()
    opened.page.get_by_role("menuitem", name="Hide this chat").click()
    expect(column.root).to_have_count(0)
    opened.page.get_by_role("navigation", name="People").get_by_role("button", name="Walt").click()
    expect(column.root).to_be_visible()


def test_faults_are_injected_shown_and_cleared(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    xena = meet(page_sandbox, "Xena")
    opened = open_page(page_sandbox)
    opened.page.get_by_role("button", name="Sandbox", exact=True).click()
    panel = opened.page.get_by_role("complementary", name="Sandbox")
    panel.get_by_label("What goes wrong").select_option("rate_limited")
    panel.get_by_label("Method").select_option("sendMessage")
    panel.get_by_label("Calls").first.fill("2")
    panel.get_by_label("Retry after, s").fill("7")
    panel.get_by_role("button", name="Let it go wrong").click()
    rules = panel.locator(".rules")
    expect(rules).to_contain_text(re.compile("rate_limited sendMessage · .?2.? left"))
    refused = page_sandbox.post("sendMessage", json={"chat_id": xena.id, "text": "x"})
    assert refused.json()["parameters"] == {"retry_after": 7}
    expect(rules).to_contain_text(re.compile(".?1.? left"))
    call = panel.get_by_role("row").nth(1)
    expect(call).to_contain_text("sendMessage")
    expect(call).to_contain_text("rate_limited")
    expect(call).to_contain_text("Xena")
    panel.get_by_role("button", name="Let everything work again").click()
    expect(rules).to_contain_text("Everything works.")
    send(page_sandbox, xena, "works")
    panel.get_by_label("Calls").first.fill("")
    panel.get_by_role("button", name="Let it go wrong").click()
    expect(panel.get_by_role("status")).to_contain_text("count")
    assert [
        found for found in opened.troubles.found if "/sandbox/faults" not in found and "400" not in found
    ] == []
    opened.troubles.forget()


def test_rates_are_switched(page_sandbox: RunningSandbox, open_page: PageOpener) -> None:
    opened = open_page(page_sandbox)
    opened.page.get_by_role("button", name="Sandbox", exact=True).click()
    box = opened.page.get_by_role("checkbox", name=re.compile("Enforce"))
    was = page_sandbox.people.control.get("/sandbox/rates")["enforced"]
    expect(box).to_be_checked(checked=was)
    box.click()
    await_that(
        lambda: page_sandbox.people.control.get("/sandbox/rates")["enforced"] is not was, what="switched"
    )
    box.click()
    await_that(lambda: page_sandbox.people.control.get("/sandbox/rates")["enforced"] is was, what="back")


@pytest.fixture
def restartable(tmp_path: Path) -> Iterator["Restartable"]:
    running = Restartable(tmp_path / "state.json")
    yield running
    running.sandbox.stop()


class Restartable:
    """A sandbox that comes back at its own address."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._port = free_port()
        self.start()

    def start(self) -> None:
        self.sandbox = RunningSandbox(self._state, f"--port={self._port}")


def test_the_page_outlives_a_restart(restartable: Restartable, open_page: PageOpener) -> None:
    yara = meet(restartable.sandbox, "Yara")
    opened = open_page(restartable.sandbox)
    column = opened_column(opened, yara)
    connection = opened.page.get_by_role("banner").get_by_role("status")
    started = time.monotonic()
    requests_seen: list[str] = []
    opened.page.on("request", lambda request: requests_seen.append(request.url))
    restartable.sandbox.stop()
    expect(connection).to_contain_text("Not connected")
    column.writes("into the void")
    expect(column.notes).to_contain_text("the sandbox does not answer")
    expect(column.field).to_have_value("into the void")
    restartable.start()
    send(restartable.sandbox, yara, "back again")
    expect(connection).to_have_text("Connected")
    expect(column.message("back again")).to_be_visible()
    column.field.press("Enter")
    expect(column.message("into the void")).to_be_visible()
    # One try is a question and a stream; there are two seconds between one and the next.
    tries = requests_seen.count(f"{restartable.sandbox.base_url}/sandbox/events")
    assert tries <= 1 + (time.monotonic() - started) / 2
    opened.troubles.forget()


def _take_stream(sandbox: RunningSandbox, taken: ExitStack) -> bool:
    stream = taken.enter_context(requests.get(f"{sandbox.base_url}/sandbox/events", stream=True, timeout=5))
    return stream.status_code == 200


def test_without_a_stream_the_page_asks_now_and_then(
    page_sandbox: RunningSandbox, open_page: PageOpener
) -> None:
    zora = meet(page_sandbox, "Zora")
    with ExitStack() as others:
        for _number in range(MAX_STREAMS):
            # The stream of a page that has just been closed may still count.
            await_that(partial(_take_stream, page_sandbox, others), what="a stream")
        opened = open_page(page_sandbox)
        connection = opened.page.get_by_role("banner").get_by_role("status")
        expect(connection).to_have_text("Connected, asking every two seconds")
        send(page_sandbox, zora, "seen all the same")
        expect(opened_column(opened, zora).message("seen all the same")).to_be_visible()
    expect(connection).to_have_text("Connected")
    assert [found for found in opened.troubles.found if "events" not in found and "503" not in found] == []
    opened.troubles.forget()
