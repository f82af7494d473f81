"""The page for everybody: in two languages, light and dark, on a phone, by keys and by ear."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from contrast import measure_contrasts
from opened_page import DESKTOP, PageOpener
from page_people import meet, opened_column, send, send_buttons
from playwright.sync_api import ViewportSize, expect

from tests.sandbox.sandbox_process import RunningSandbox

# In words: which part of the page, and of a chat; what has the focus without showing it is told as well.
_WHERE_THE_FOCUS_IS = """
() => {
  const it = document.activeElement;
  if (it === document.body) return "end";
  if (getComputedStyle(it).outlineStyle === "none") return `invisible focus: ${it.outerHTML}`;
  const parts = [["header.top", "top"], ["#story", "story"], ["article", "message"], [".composer", "writing"],
    [".column-head", "head"], ["[role=log]", "log"]];
  const part = parts.find(([selector]) => it.closest(selector));
  const name = it.closest("[data-person]")?.querySelector("h2").textContent ?? "";
  return `${name} ${part ? part[1] : ""}`.trim();
}
"""
PHONE: ViewportSize = {"width": 390, "height": 844}
LEAST_CONTRAST = 4.5


def furnish(sandbox: RunningSandbox) -> None:
    """Two people whose chats hold some of everything."""
    sara, adam = meet(sandbox, "سارا", "fa"), meet(sandbox, "Adam")
    send(sandbox, sara, "سلام! این پیوند توست: https://t.me/nekonymous_sandbox_bot?start=x")
    send(sandbox, sara, "منو", reply_markup={"keyboard": [["📬 صندوق من", "⚙️ تنظیمات"]]})
    send_buttons(
        sandbox,
        sara,
        "یک پیام تازه داری",
        {"text": "بخوان", "callback_data": "a", "style": "success"},
        {"text": "مسدود", "callback_data": "b", "style": "danger"},
        {"text": "پیوند", "url": "https://t.me/nekonymous_sandbox_bot?start=x", "style": "primary"},
    )
    text = "bold code quote link @name #tag /help secret"
    kinds = {"bold": "bold", "code": "code", "blockquote": "quote", "spoiler": "secret"}
    entities = [
        {"type": kind, "offset": text.index(word), "length": len(word)} for kind, word in kinds.items()
    ]
    entities.append(
        {"type": "text_link", "offset": text.index("link"), "length": 4, "url": "https://a.example"}
    )
    sent = adam.says(text, entities=entities)
    adam.sends("voice")
    adam.sends("document")
    adam.sends_album([("photo", "an album"), ("video", "")])
    own = adam.says("my answer", reply_to=sent.message_id)
    send(
        sandbox,
        adam,
        "an answer to it",
        reply_parameters={"message_id": own.message_id},
        protect_content=True,
    )
    adam.reacts(own, "👍")


@pytest.fixture
def furnished(tmp_path: Path) -> Iterator[RunningSandbox]:
    """A sandbox of the test's own: namesakes of other tests would be numbered."""
    running = RunningSandbox(tmp_path / "state.json")
    furnish(running)
    yield running
    running.stop()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_can_be_read(furnished: RunningSandbox, open_page: PageOpener, *, dark: bool) -> None:
    opened = open_page(furnished, viewport={"width": 1600, "height": 1000}, dark=dark)
    furnished.people.inject_fault("rate_limited")
    furnished.post("sendMessage", json={"chat_id": 1, "text": "refused"})
    expect(opened.page.locator("tr.bad").first).to_be_visible()
    expect(opened.column("Adam").message("an answer to it")).to_be_visible()
    measured = measure_contrasts(opened.page)
    assert len(measured) > 60
    assert [one for one in measured if one["contrast"] < LEAST_CONTRAST] == []
    adam = opened.column("Adam")
    adam.root.get_by_role("button", name="Send a sample").click()
    expect(opened.page.get_by_role("dialog")).to_be_visible()
    assert [one for one in measure_contrasts(opened.page) if one["contrast"] < LEAST_CONTRAST] == []
    opened.page.keyboard.press("Escape")
    adam.root.get_by_label(re.compile("Address that")).press("Enter")
    expect(adam.notes).to_contain_text("This is no link")
    adam.root.get_by_role("button", name=re.compile("More for")).click()
    expect(opened.page.get_by_role("menu")).to_be_visible()
    assert [one for one in measure_contrasts(opened.page) if one["contrast"] < LEAST_CONTRAST] == []


def test_dark_is_dark_and_light_is_light(furnished: RunningSandbox, open_page: PageOpener) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = open_page(furnished).page.evaluate(ground)
    dark = open_page(furnished, dark=True).page.evaluate(ground)
    assert sum(map(int, re.findall(r"\d+", light))) > 3 * 200
    assert sum(map(int, re.findall(r"\d+", dark))) < 3 * 40


def test_persian_turns_the_page_round_but_not_the_sides_of_a_chat(
    furnished: RunningSandbox, open_page: PageOpener
) -> None:
    opened = open_page(furnished)
    page = opened.page
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["en", "ltr"]
    page.get_by_role("button", name="فارسی").click()
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["fa", "rtl"]
    expect(page).to_have_title("زمین بازی نکونیموس")
    column = opened_column(opened, furnished.people.people()[-2])
    expect(column.field).to_have_attribute("placeholder", "پیام")
    expect(column.messages.last.locator("time")).to_have_text(re.compile("^[۰-۹]{2}:[۰-۹]{2}$"))
    bot, own = column.messages.last.bounding_box(), column.messages.first.bounding_box()
    assert bot is not None
    assert own is not None
    assert bot["x"] < own["x"]
    words = column.message("سلام").locator(".words")
    assert words.evaluate("it => [it.dir, getComputedStyle(it).direction]") == ["auto", "rtl"]
    adam = opened.column("Adam").message("my answer").locator(".words")
    assert adam.evaluate("it => getComputedStyle(it).direction") == "ltr"
    for auto in ("textarea", ".words", ".quote-words", ".button-words", ".key"):
        assert page.locator(f".columns {auto}").evaluate_all("all => all.every(it => it.dir === 'auto')"), (
            auto
        )
    page.reload()
    expect(page.get_by_role("banner").get_by_role("status")).to_have_text("وصل است")
    opened.troubles.found = [found for found in opened.troubles.found if "/sandbox/events" not in found]


def test_on_a_phone_there_is_one_chat_at_a_time(furnished: RunningSandbox, open_page: PageOpener) -> None:
    opened = open_page(furnished, viewport=PHONE)
    page = opened.page
    sara, adam = opened.column("سارا"), opened.column("Adam")
    expect(sara.root).to_be_visible()
    expect(adam.root).to_be_hidden()
    tabs = page.get_by_role("tab")
    tabs.filter(has_text="Adam").click()
    expect(adam.root).to_be_visible()
    expect(sara.root).to_be_hidden()
    expect(tabs.filter(has_text="Adam")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(tabs.filter(has_text="سارا")).to_have_attribute("aria-selected", "true")
    expect(sara.message("سلام")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    sara.log.locator(".link", has_text="https://t.me/").click()
    page.get_by_role("menuitem", name="Open as Adam", exact=True).first.click()
    expect(adam.field).to_be_focused()


def test_the_page_has_its_landmarks_names_and_roles(furnished: RunningSandbox, open_page: PageOpener) -> None:
    opened = open_page(furnished)
    page = opened.page
    expect(page.locator("body")).to_match_aria_snapshot(
        """
        - link "To the chats"
        - banner:
          - heading "Nekonymous sandbox" [level=1]
          - status
          - navigation "People":
            - button "سارا" [pressed]
            - button "Adam" [pressed]
            - button "+ Somebody new"
          - button "A story to try"
          - button "فارسی"
          - button "Sandbox"
        - main "Chats":
          - region "سارا":
            - heading "سارا" [level=2]
            - combobox "Language of their Telegram"
            - textbox
            - button "Open"
            - log:
              - article
        """
    )
    logs = page.get_by_role("log").all()
    assert [log.get_attribute("aria-live") for log in logs] == ["polite", "polite"]
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, [role=button]")]
             .filter(it => !(it.ariaLabel || it.textContent.trim() || it.closest("label")))
             .map(it => it.outerHTML)"""
    )
    assert nameless == []


def test_tab_goes_through_the_page_in_the_order_of_the_eye(
    furnished: RunningSandbox, open_page: PageOpener
) -> None:
    opened = open_page(furnished)
    page = opened.page
    stops: list[str] = []
    for _step in range(60):
        page.keyboard.press("Tab")
        stop = page.evaluate(_WHERE_THE_FOCUS_IS)
        if stop == "end":
            break
        if not stops or stops[-1] != stop:
            stops.append(stop)
    one = [f"{name} {part}" for name in ("سارا", "Adam") for part in ("head", "log", "message", "writing")]
    assert stops[:3] == ["", "top", "story"]
    assert stops[3 : 3 + len(one)] == one


def test_arrows_go_from_message_to_message(furnished: RunningSandbox, open_page: PageOpener) -> None:
    opened = open_page(furnished)
    column = opened_column(opened, furnished.people.people()[-1])
    column.messages.last.focus()
    for key, expected in (("ArrowUp", -2), ("ArrowUp", -3), ("ArrowDown", -2), ("Home", 0), ("End", -1)):
        opened.page.keyboard.press(key)
        expect(column.messages.nth(expected)).to_be_focused()
    assert column.messages.evaluate_all("all => all.filter(it => it.tabIndex === 0).length") == 1


def test_nothing_moves_for_those_who_do_not_want_it(furnished: RunningSandbox, open_page: PageOpener) -> None:
    opened = open_page(furnished)
    opened.page.emulate_media(reduced_motion="reduce")
    column = opened_column(opened, furnished.people.people()[-2])
    column.button("بخوان").click()
    expect(column.button("بخوان")).to_have_attribute("aria-busy", "true")
    assert column.button("بخوان").evaluate("it => getComputedStyle(it).animationName") == "none"


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("language", ["en-GB", "fa-IR"])
def test_pictures_are_taken(
    furnished: RunningSandbox,
    open_page: PageOpener,
    tmp_path: Path,
    language: str,
    viewport: ViewportSize,
) -> None:
    opened = open_page(furnished, language=language, viewport=viewport, dark=language == "fa-IR")
    expect(opened.column("سارا").message("یک پیام تازه داری")).to_be_in_viewport()
    picture = tmp_path / "page.png"
    opened.page.screenshot(path=picture)
    assert picture.stat().st_size > 10_000
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
