"""`attack` touches no installation, and refuses what it cannot do."""

from dataclasses import replace

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings
from town import Town

from nekonymous_site.management.throwaway_installation import refuse_real_installation


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
