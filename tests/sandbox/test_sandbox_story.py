"""The demo's story, played with a toy bot; and where it stops when the bot does not react."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from nekonymous_site.sandbox.further_story import FurtherStory
from nekonymous_site.sandbox.story import Story, StoryStopped
from tests.sandbox.relay_bot import RelayBot
from tests.sandbox.sandbox_process import RunningSandbox

StartBot = Callable[..., RelayBot]


@pytest.fixture
def start_bot(sandbox: RunningSandbox) -> Iterator[StartBot]:
    started: list[RelayBot] = []

    def start(*, deaf_to: str | None = None) -> RelayBot:
        bot = RelayBot(sandbox, deaf_to=deaf_to)
        bot.start()
        started.append(bot)
        return bot

    yield start
    for bot in started:
        bot.stop()


def _demo(settings: Settings, api_url: str, *options: str) -> str:
    settings.NEKO = replace(settings.NEKO, api_url=api_url)
    output = StringIO()
    call_command("demo", *options, stdout=output)
    return output.getvalue().replace("\u2068", "").replace("\u2069", "")


def test_the_brief_demo_tells_the_first_delivery_in_four_lines(
    sandbox: RunningSandbox, start_bot: StartBot, settings: Settings
) -> None:
    start_bot()
    lines = _demo(settings, sandbox.base_url, "--brief").splitlines()
    assert len(lines) == 4
    assert "https://t.me/some_bot?start=s" in lines[0]
    assert lines[-1].startswith("Delivered in ")


@pytest.mark.parametrize(
    ("deaf_to", "step"),
    [
        ("/start", "the owner gets a link"),
        ("/start s", "the visitor opens the link"),
        ("Your talk", "the visitor's text is acknowledged"),
        ("/inbox", "Adam reads the inbox"),
        ("See you", "the visitor answers with Telegram's reply gesture"),
    ],
)
def test_the_story_says_where_it_stopped(
    sandbox: RunningSandbox, start_bot: StartBot, deaf_to: str, step: str
) -> None:
    start_bot(deaf_to=deaf_to)
    told: list[str] = []
    story = Story(sandbox.people, tell=told.append, step_seconds=0.7)
    with pytest.raises(StoryStopped, match=f"stopped where {step}: .* within 0.7 s"):
        story.play_answers(story.play_first_leg())


def test_the_further_story_says_where_it_stopped_and_shows_the_chat(
    sandbox: RunningSandbox, start_bot: StartBot
) -> None:
    start_bot(deaf_to="/settings")
    told: list[str] = []
    delivered = Story(sandbox.people, tell=told.append).play_first_leg()
    further = FurtherStory(sandbox=sandbox.people, tell=told.append, step_seconds=0.7)
    with pytest.raises(
        StoryStopped, match=r"stopped where the owner sets a name: .* within 0\.7 s"
    ) as stopped:
        further.play(delivered)
    assert "/settings" in str(stopped.value)


@pytest.mark.parametrize(
    ("api_url", "reason"),
    [
        ("https://api.telegram.org", "the demo plays in the sandbox"),
        ("http://127.0.0.1:9", "the sandbox is not running"),
    ],
)
def test_the_demo_leaves_real_bots_alone(settings: Settings, api_url: str, reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        _demo(settings, api_url)
