"""The sandbox's page in a real browser, as the tests look at it, and everything that went wrong in it."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, ViewportSize, expect

from tests.sandbox.sandbox_process import RunningSandbox

BROWSER_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
ACTION_MILLISECONDS = 10_000


@dataclass
class Troubles:
    """Listens to a page from its beginning; nothing of this may happen in it."""

    origin: str
    found: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Take note of console errors and warnings, failed requests and requests to anybody else."""
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.found.append(f"exception: {error}"))
        page.on("request", self._note_request)
        page.on("requestfailed", lambda request: self.found.append(f"failed: {request.url}"))
        page.on(
            "response",
            lambda response: (
                self.found.append(f"{response.status}: {response.url}") if response.status >= 400 else None
            ),
        )

    def forget(self) -> None:
        """What came up until now was meant to."""
        self.found.clear()

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.found.append(f"console {message.type}: {message.text}")

    def _note_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if f"{parts.scheme}://{parts.netloc}" != self.origin and parts.scheme != "data":
            self.found.append(f"request elsewhere: {request.url}")


class OpenedPage:
    """The page with the words its tests need."""

    def __init__(self, page: Page, *, troubles: Troubles) -> None:
        self.page = page
        self.troubles = troubles

    def open(self) -> None:
        """Open it and wait until it is connected."""
        self.page.goto(self.troubles.origin)
        expect(
            self.page.get_by_role("status").filter(has_text=re.compile("Connected|وصل است"))
        ).to_be_visible()

    def column(self, name: str) -> "Column":
        """The column of the person with this name."""
        return Column(self.page, self.page.get_by_role("region", name=name, exact=True))

    def column_of(self, person_id: int) -> "Column":
        """The column of this person, whatever number their namesakes in other tests give them."""
        return Column(self.page, self.page.locator(f"section[data-person='{person_id}']"))


class Column:
    """One person's chat on the page."""

    def __init__(self, page: Page, root: Locator) -> None:
        self.page = page
        self.root = root
        self.log = root.get_by_role("log")
        self.messages = self.log.get_by_role("article")
        self.field = root.locator("textarea")
        self.notes = root.get_by_role("status")

    def message(self, text: str | re.Pattern[str]) -> Locator:
        """The last message that holds this text."""
        return self.messages.filter(has_text=text).last

    def button(self, label: str | re.Pattern[str]) -> Locator:
        """The last button under a message with this label."""
        return self.log.locator(".inline-button").filter(has_text=label).last

    def writes(self, text: str) -> None:
        """Write and press Enter."""
        self.field.fill(text)
        self.field.press("Enter")


class PageOpener:
    """Opens pages of a test, each in a browser profile of its own, and looks through their troubles."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._opened: list[OpenedPage] = []

    def __call__(
        self,
        sandbox: RunningSandbox,
        *,
        viewport: ViewportSize = DESKTOP,
        language: str = "en-GB",
        dark: bool = False,
    ) -> OpenedPage:
        context = self._browser.new_context(
            viewport=viewport, locale=language, color_scheme="dark" if dark else "light"
        )
        context.set_default_timeout(ACTION_MILLISECONDS)
        page = context.new_page()
        troubles = Troubles(sandbox.base_url)
        troubles.watch(page)
        opened = OpenedPage(page, troubles=troubles)
        self._opened.append(opened)
        opened.open()
        return opened

    def finish(self) -> list[str]:
        """Close everything; returns what went wrong until then."""
        found = [trouble for opened in self._opened for trouble in opened.troubles.found]
        for opened in self._opened:
            opened.page.context.close()
        return found
