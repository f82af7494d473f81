"""`canaries search` as an operator uses it, and `canaries` where it must not walk."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from psycopg.conninfo import make_conninfo
from pytest_django.fixtures import Settings
from town import Town

from nekonymous_site.canaries.live_search import LONGEST_VALUE_CHARACTERS, MOST_VALUES

SECRET = "somebody wrote قناری"

Search = Callable[..., tuple[int, str]]


def _test_database() -> str:
    words = connection.get_connection_params()
    return make_conninfo(**{name: str(words[name]) for name in ("dbname", "user", "host") if words.get(name)})


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> Search:
    """Searches for what is given; gives exit code and output."""
    settings.NEKO = replace(settings.NEKO, data_dir=tmp_path, database_url=_test_database())

    def run(given: str, *options: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        said = io.StringIO()
        try:
            call_command("canaries", "search", *options, stdout=said)
        except SystemExit as end:
            return int(str(end.code)), said.getvalue()
        return 0, said.getvalue()

    return run


@pytest.mark.django_db
def test_a_value_in_a_log_is_named_by_its_line_and_its_place(search: Search, tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "web.log").write_text("a line\n" + json.dumps(SECRET) + "\n")
    code, said = search(f"\nnobody wrote this\n{SECRET}\n")
    assert code == 1
    assert "FOUND: line 3 in logs: log/web.log (now)" in said
    assert said.count("FOUND") == 1
    assert "قناری" not in said
    code, said = search(f"{SECRET}\n", "--json")
    report = json.loads(said)
    assert (code, report["clean"], report["values"]) == (1, False, 1)
    assert [(one["group"], one["place"], one["kind"]) for one in report["found"]] == [
        ("logs", "log/web.log", "line 1")
    ]
    assert {"tables", "Valkey keys", "process arguments"} <= report["places"].keys()


@pytest.mark.django_db
def test_a_value_that_is_nowhere_is_found_nowhere(search: Search) -> None:
    code, said = search(f"{SECRET}\n")
    assert (code, "FOUND" in said) == (0, False)
    assert "1 values in" in said


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("", "must hold the values to look for"),
        ("\n\n", "must hold the values to look for"),
        ("tea\n", "line 1 has less than 6 characters"),
        ("long enough\n" * (MOST_VALUES + 1), f"at most {MOST_VALUES} lines"),
        ("x" * (LONGEST_VALUE_CHARACTERS + 1), f"less than {LONGEST_VALUE_CHARACTERS} characters"),
    ],
)
def test_what_cannot_be_looked_for_is_refused(search: Search, given: str, reason: str) -> None:
    with pytest.raises(CommandError, match=reason) as refused:
        search(given)
    assert refused.value.returncode == 2
    assert "tea" not in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"database_url": None}, "nothing is running here"),
        ({"redis_url": None}, "nothing is running here"),
        ({"database_url": "postgresql://neko@127.0.0.1:1/nowhere"}, "does not answer"),
    ],
)
def test_without_servers_nothing_is_said_to_be_clean(
    search: Search, settings: Settings, changes: dict[str, str | None], reason: str
) -> None:
    settings.NEKO = replace(settings.NEKO, **changes)
    with pytest.raises(CommandError, match=reason):
        search(f"{SECRET}\n")


def test_the_walk_refuses_a_database_with_people_in_it(lasting_town: Town) -> None:
    lasting_town.owner()
    with pytest.raises(CommandError, match="wants an empty database and no real bot"):
        call_command("canaries")
