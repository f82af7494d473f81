"""`attack` touches no installation, refuses what it cannot do, and reports what it found."""

import json
import logging
from dataclasses import replace
from io import StringIO

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings
from town import Town

from nekonymous_site.management.throwaway_installation import refuse_real_installation
from tests.sandbox.sandbox_process import RunningSandbox


def test_a_database_in_use_is_refused(town: Town) -> None:
    with pytest.raises(CommandError, match="empty database"):
        call_command("attack")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["https://api.telegram.org", "http://127.0.0.1.example.org:80"])
def test_a_bot_api_elsewhere_is_refused(settings: Settings, address: str) -> None:
    settings.NEKO = replace(django_settings.NEKO, api_url=address)

    with pytest.raises(CommandError, match=r"no real bot: \./neko attack"):
        call_command("attack")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["http://127.0.0.1:8081", "http://[::1]:8081", "http://localhost:8081"])
def test_an_empty_database_and_a_sandbox_will_do(settings: Settings, address: str) -> None:
    settings.NEKO = replace(django_settings.NEKO, api_url=address)

    refuse_real_installation("attack")


@pytest.mark.parametrize("options", [{"people": 1}, {"people": 10**6}, {"messages": 0}, {"messages": 10**6}])
def test_sizes_have_bounds(options: dict[str, int]) -> None:
    with pytest.raises(CommandError, match="--people is"):
        call_command("attack", **options)


def test_figures_come_as_json(bot_at_sandbox: RunningSandbox, transactional_db: None) -> None:
    told, level, rates = StringIO(), logging.getLogger().level, django_settings.NEKO_RATES

    call_command("attack", people=8, messages=24, seed=7, json=True, stdout=told)

    report = json.loads(told.getvalue())
    figures = report["levels"]["plain dump"]
    assert report["seed"] == 7
    assert set(report["levels"]) == {"plain dump", "with system columns"}
    assert {"recipient, waiting"} <= {one["target"] for one in figures}
    assert all(0 <= one["right"] <= 1 and one["tickets"] > 0 for one in figures)
    assert logging.getLogger().level == level
    assert rates == django_settings.NEKO_RATES


def test_a_figure_beyond_the_bound_is_a_failure(
    bot_at_sandbox: RunningSandbox, transactional_db: None
) -> None:
    told, complained = StringIO(), StringIO()

    with pytest.raises(SystemExit) as ended:
        call_command(
            "attack", people=8, messages=24, seed=7, most_ratio=0.001, stdout=told, stderr=complained
        )

    assert ended.value.code == 1
    assert "plain dump" in told.getvalue()
    assert "is more than x0.001" in complained.getvalue()


def test_a_sandbox_that_is_not_there_is_said(settings: Settings, transactional_db: None) -> None:
    settings.NEKO = replace(django_settings.NEKO, api_url="http://127.0.0.1:9")

    with pytest.raises(CommandError, match="the laboratory came to a stop"):
        call_command("attack")
