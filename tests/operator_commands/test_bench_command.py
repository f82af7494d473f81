"""`bench` refuses what would give figures without meaning."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from nekonymous_site.benchmarks.durability import read_durability
from nekonymous_site.benchmarks.failures import BenchmarkFailed


@pytest.mark.django_db
def test_commits_that_are_not_durable_are_refused() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
    with pytest.raises(BenchmarkFailed, match="synchronous_commit is off"):
        read_durability()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["accept", "--clients", "0"], "numbers from 1 to 64"),
        (["accept", "--clients", "8,many"], "numbers from 1 to 64"),
        (["floor", "--updates", "9000"], "from 64 to 8000"),
        (["floor", "--rounds", "-1"], "from 1 to 9"),
        (["web", "--rounds", "2"], "no rounds"),
        (["accept", "--clients", "1,2,3,4,5", "--rounds", "9"], "more than 39 rounds"),
    ],
)
def test_what_is_out_of_bounds_is_refused(arguments: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        call_command("bench", *arguments)
