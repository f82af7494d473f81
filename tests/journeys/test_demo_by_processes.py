"""The whole demo through real processes, as somebody at a terminal sees it."""

from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command
from product import Product
from pytest_django.fixtures import Settings

pytestmark = pytest.mark.processes


def test_the_whole_demo_plays_everything_and_shows_three_chats(product: Product, settings: Settings) -> None:
    settings.NEKO = replace(settings.NEKO, api_url=product.sandbox.base_url)
    output = StringIO()
    call_command("demo", stdout=output)
    shown = output.getvalue().replace("\u2068", "").replace("\u2069", "")
    told, hers, his, third = shown.split("\n── the chat as ")
    assert len(told.splitlines()) >= 12
    assert hers.startswith("سارا sees it")
    assert his.startswith("Adam sees it")
    assert third.startswith("Nika sees it")
    for content in ("[photo 1 of 2]", "[photo, spoiler]", "[document]", "This is a long story", "Last row"):
        assert content in hers, content
    assert "I should not have said this." not in hers
    assert "is not taking messages now" in his
    assert "is not taking messages now" in third
    assert "nika-cv.pdf" in third
    assert "A contact card shows who somebody is" in third
