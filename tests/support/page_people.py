"""Made-up people of a sandbox whose bot is the test itself, and their columns on the page."""

from opened_page import Column, OpenedPage
from playwright.sync_api import expect

from nekonymous_site.sandbox.people import Person
from tests.sandbox.sandbox_process import RunningSandbox


def meet(sandbox: RunningSandbox, name: str, language: str = "en") -> Person:
    """Somebody who has started the bot."""
    person = sandbox.people.person(name, language)
    person.says("/start")
    return person


def send(sandbox: RunningSandbox, person: Person, text: str, **more: object) -> int:
    """Send a text as the bot; returns its id."""
    return int(sandbox.call("sendMessage", chat_id=person.id, text=text, **more)["message_id"])


def send_buttons(sandbox: RunningSandbox, person: Person, text: str, *buttons: dict[str, object]) -> int:
    """Send a text with a row of buttons as the bot; returns its id."""
    return send(sandbox, person, text, reply_markup={"inline_keyboard": [list(buttons)]})


def opened_column(opened: OpenedPage, person: Person) -> Column:
    """The column of somebody who has written something."""
    column = opened.column_of(person.id)
    expect(column.messages.first).to_be_visible()
    return column
