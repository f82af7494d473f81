"""A real browser for each file of tests, and a page in it that must stay without any trouble."""

import os
from collections.abc import Iterator

import pytest
from opened_page import BROWSER_OPTIONS, PageOpener
from playwright.sync_api import Browser, sync_playwright

from nekonymous_site.embedded.browser_setup import HOW_TO_INSTALL, PROGRAMS, find_browser
from tests.sandbox.sandbox_process import RunningSandbox


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for a file of tests. Without one they skip aloud, or fail where CI says that it is one.

    It is closed with its file: while it is open Django's ORM refuses to work in this process.
    """
    program = find_browser(os.environ)
    if program is None:
        reason = f"NO BROWSER: none of {', '.join(PROGRAMS)} is on PATH. {HOW_TO_INSTALL}"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(BROWSER_OPTIONS))
        yield started
        started.close()


@pytest.fixture(scope="module")
def sandbox_of_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    """One sandbox for a file of tests."""
    running = RunningSandbox(tmp_path_factory.mktemp("page") / "state.json")
    yield running
    running.stop()


@pytest.fixture
def page_sandbox(sandbox_of_file: RunningSandbox) -> Iterator[RunningSandbox]:
    """A sandbox whose bot is the test; no fault is left in it."""
    yield sandbox_of_file
    sandbox_of_file.people.clear_faults()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[PageOpener]:
    """Opens the page of a sandbox; at the end nothing may have gone wrong in it."""
    opener = PageOpener(browser)
    yield opener
    assert opener.finish() == []
