"""The story of two people, played in the page of the running product: by clicking, and by keys alone."""

import pytest
from opened_page import Column, OpenedPage, PageOpener
from playwright.sync_api import Locator, expect
from product import Product

from nekonymous_site.bot import button_texts, outcome_texts

pytestmark = pytest.mark.processes

QUESTION = "Your talk yesterday was lovely 👩‍💻"
ANSWER = "ممنون! خیلی خوشحالم کردی 🌷"
# What takes a worker, a bell and a few calls.
DELIVERY_MILLISECONDS = 30_000


def _sees(column: Column, text: str) -> None:
    expect(column.message(text)).to_be_visible(timeout=DELIVERY_MILLISECONDS)


def _awaits_button(column: Column, label: str) -> Locator:
    button = column.button(label)
    expect(button).to_be_visible(timeout=DELIVERY_MILLISECONDS)
    return button


def _make_up(opened: OpenedPage, name: str, language: str) -> Column:
    page = opened.page
    page.get_by_role("button", name="Somebody new").click()
    dialog = page.get_by_role("dialog", name="Somebody new")
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("Language of their Telegram").select_option(language)
    dialog.get_by_role("button", name="Make up").click()
    column = opened.column(name)
    expect(column.root).to_be_visible()
    return column


def test_two_people_play_the_story_by_clicking(product: Product, open_page: PageOpener) -> None:
    opened = open_page(product.sandbox)
    sara, adam = _make_up(opened, "Sara", "fa"), _make_up(opened, "Adam", "en")

    sara.root.get_by_role("button", name="Start", exact=True).click()
    link = sara.log.locator(".link", has_text="https://t.me/").last
    expect(link).to_be_visible(timeout=DELIVERY_MILLISECONDS)
    link.click()
    opened.page.get_by_role("menuitem", name="Open as Adam", exact=True).click()
    _sees(adam, "/start")
    _awaits_button(adam, button_texts.cancel("en"))
    adam.writes(QUESTION)
    _awaits_button(adam, button_texts.withdraw("en"))
    _awaits_button(sara, button_texts.inbox("fa")).click()
    _sees(sara, QUESTION)
    expect(sara.message(QUESTION).get_by_label("protected from copying")).to_be_visible()
    expect(sara.root).not_to_contain_text("Adam")
    _awaits_button(sara, button_texts.reply("fa")).click()
    _awaits_button(sara, button_texts.cancel("fa"))
    sara.writes(ANSWER)
    _awaits_button(adam, button_texts.inbox("en")).click()
    _sees(adam, ANSWER)
    expect(adam.root).not_to_contain_text("Sara")

    sara.button(button_texts.block("fa")).click()
    expect(sara.notes).to_contain_text(outcome_texts.blocked("fa"))
    expect(sara.button(button_texts.unblock("fa"))).to_be_visible()


class Keys:
    """Reaches everything by keys, as somebody without a mouse does."""

    MOST_STEPS = 150

    def __init__(self, opened: OpenedPage) -> None:
        self._page = opened.page

    def press(self, *names: str) -> None:
        for name in names:
            self._page.keyboard.press(name)

    def type(self, text: str) -> None:
        self._page.keyboard.insert_text(text)

    def tab_to(self, goal: Locator) -> None:
        """Press Tab until this has the focus."""
        self._step_to(goal, key="Tab")

    def go_to_message(self, column: Column, text: str) -> None:
        """Tab into the chat, then go from message to message."""
        goal = column.messages.filter(has_text=text).first
        expect(goal).to_be_visible(timeout=DELIVERY_MILLISECONDS)
        self.tab_to(column.log.locator("article[tabindex='0']"))
        self.press("End")
        self._step_to(goal, key="ArrowUp")

    def press_under(self, column: Column, text: str, label: str) -> None:
        """Press the button with this label under a message."""
        self.go_to_message(column, text)
        self.tab_to(column.messages.filter(has_text=text).first.locator(".inline-button", has_text=label))
        self.press("Enter")

    def _step_to(self, goal: Locator, *, key: str) -> None:
        for _step in range(self.MOST_STEPS):
            if goal.evaluate("element => element === document.activeElement"):
                return
            self.press(key)
        pytest.fail(f"{key} does not lead to {goal}")


def _make_up_by_keys(opened: OpenedPage, keys: Keys, name: str) -> Column:
    keys.tab_to(opened.page.get_by_role("button", name="Somebody new"))
    keys.press("Enter")
    expect(opened.page.get_by_role("dialog").get_by_label("Name")).to_be_focused()
    keys.type(name)
    keys.press("Tab", "ArrowDown")
    expect(opened.page.get_by_label("Language of their Telegram").last).to_have_value("en")
    keys.tab_to(opened.page.get_by_role("dialog").get_by_role("button", name="Make up"))
    keys.press("Enter")
    column = opened.column(name)
    expect(column.root).to_be_visible()
    return column


def test_two_people_play_the_story_by_keys_alone(product: Product, open_page: PageOpener) -> None:
    opened = open_page(product.sandbox)
    keys = Keys(opened)
    mina, jonas = _make_up_by_keys(opened, keys, "Mina"), _make_up_by_keys(opened, keys, "Jonas")

    keys.tab_to(mina.root.get_by_role("button", name="Start", exact=True))
    keys.press("Enter")
    keys.go_to_message(mina, "https://t.me/")
    keys.tab_to(mina.messages.filter(has_text="https://t.me/").first.locator(".link").first)
    keys.press("Enter")
    expect(opened.page.get_by_role("menuitem", name="Open as Jonas", exact=True)).to_be_focused()
    keys.press("Enter")
    expect(jonas.field).to_be_focused()
    _awaits_button(jonas, button_texts.cancel("en"))
    keys.type(QUESTION)
    keys.press("Enter")
    _awaits_button(jonas, button_texts.withdraw("en"))
    notice = _awaits_button(mina, button_texts.inbox("en"))
    keys.tab_to(mina.log.locator("article[tabindex='0']"))
    keys.press("End")
    keys.tab_to(notice)
    keys.press("Enter")
    keys.press_under(mina, QUESTION, button_texts.reply("en"))
    _awaits_button(mina, button_texts.cancel("en"))
    keys.tab_to(mina.field)
    keys.type(ANSWER)
    keys.press("Enter")
    notice = _awaits_button(jonas, button_texts.inbox("en"))
    keys.tab_to(jonas.log.locator("article[tabindex='0']"))
    keys.press("End")
    keys.tab_to(notice)
    keys.press("Enter")
    _sees(jonas, ANSWER)
    keys.press_under(mina, QUESTION, button_texts.block("en"))
    expect(mina.notes).to_contain_text(outcome_texts.blocked("en"))
