"""`safety` as an operator uses it: one id on standard input, one standing in the answer, nobody's name."""

import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from stored_rows import change_rows, read_rows, read_value

from nekonymous_site.canaries.marks import find_kinds, make_mark
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import TelegramUserId
from nekonymous_site.environment import CHECKOUT

USER_ID = 771_234_987
OTHER_ID = 771_234_988
DATABASE = pytest.mark.django_db


def _safety(monkeypatch: pytest.MonkeyPatch, given: str, *arguments: str) -> str:
    monkeypatch.setattr(sys, "stdin", io.StringIO(given))
    said = io.StringIO()
    call_command("safety", *arguments, stdout=said)
    return said.getvalue().strip()


def _stored() -> list[tuple[object, ...]]:
    return read_rows("SELECT subject_tag, standing FROM safety.subject ORDER BY standing")


@DATABASE
def test_the_way_of_a_sanction(monkeypatch: pytest.MonkeyPatch) -> None:
    given = f"{USER_ID}\n"
    subject = blind_tags.abuse_subject_tag(blind_tags.actor_hash(TelegramUserId(USER_ID)))
    assert _safety(monkeypatch, given, "show") == "clear"
    suspended = _safety(monkeypatch, given, "suspend", "--hours", "72")
    end = datetime.strptime(suspended, "suspended until %Y-%m-%d %H:%M UTC").replace(tzinfo=UTC)
    assert timedelta(0) <= end - datetime.now(UTC) - timedelta(hours=72) <= timedelta(hours=1)
    assert _safety(monkeypatch, given, "show") == suspended
    assert _stored() == [(subject, "suspended")]
    assert _safety(monkeypatch, given, "ban") == "banned"
    assert _safety(monkeypatch, given, "suspend", "--hours", "1") == "banned", "no ban is shortened"
    assert _safety(monkeypatch, f"{OTHER_ID}", "show") == "clear", "nobody else is meant"
    assert _safety(monkeypatch, given, "clear") == "clear"
    assert _safety(monkeypatch, given, "clear") == "clear"
    assert _stored() == []


@DATABASE
def test_the_answer_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(_safety(monkeypatch, "7", "show", "--json")) == {"standing": "clear", "until": None}
    assert json.loads(_safety(monkeypatch, "7", "ban", "--json")) == {"standing": "banned", "until": None}
    _safety(monkeypatch, "7", "clear")
    answer = json.loads(_safety(monkeypatch, "7", "suspend", "--hours", "2", "--json"))
    assert answer["standing"] == "suspended"
    assert datetime.fromisoformat(answer["until"]) == read_value("SELECT until FROM safety.subject")
    change_rows("UPDATE safety.subject SET until = now()")
    assert json.loads(_safety(monkeypatch, "7", "show", "--json")) == {"standing": "clear", "until": None}


@DATABASE
@pytest.mark.parametrize("given", ["771234987", "771234987\n", "  771234987\r\n", "771234987\n\n"])
def test_blanks_around_the_id_do_no_harm(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    _safety(monkeypatch, given, "ban")
    assert _safety(monkeypatch, f"{USER_ID}", "show") == "banned"


@DATABASE
@pytest.mark.parametrize(
    "given",
    [
        "",
        "\n",
        "00",
        "-5",
        "@somebody",
        "12 34",
        "12\n34\n",
        "۱۲۳",
        "1e5",
        "12345678901234567",
        "7" * 5000,
        "7\x00",
    ],
)
def test_what_is_no_single_id_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    with pytest.raises(CommandError, match="one Telegram user id") as refused:
        _safety(monkeypatch, given, "ban")
    assert refused.value.returncode == 2
    assert not given.strip() or given.strip() not in str(refused.value)
    assert _stored() == []


@DATABASE
@pytest.mark.parametrize("binary", [b"\xff\xfe7", b"7\n\xff"])
def test_what_is_no_text_is_refused(monkeypatch: pytest.MonkeyPatch, binary: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(binary), encoding="utf-8"))
    with pytest.raises(CommandError, match="one Telegram user id"):
        call_command("safety", "ban")
    assert _stored() == []


@DATABASE
@pytest.mark.parametrize(
    "arguments",
    [
        ("suspend",),
        ("ban", "--hours", "3"),
        ("clear", "--hours", "3"),
        ("show", "--hours", "0"),
        ("suspend", "--hours", "0"),
        ("suspend", "--hours", "-1"),
        ("suspend", "--hours", "8785"),
    ],
)
def test_hours_belong_to_a_suspension(monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="hours") as refused:
        _safety(monkeypatch, str(USER_ID), *arguments)
    assert refused.value.returncode == 2
    assert _stored() == []


def _run(given: str, *arguments: str, database_url: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CHECKOUT / "manage.py"), "safety", *arguments],
        input=given,
        env=dict(os.environ) | {"DATABASE_URL": database_url},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _test_database_url() -> str:
    parts = urlsplit(os.environ["DATABASE_URL"])
    return parts._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


@pytest.mark.django_db(transaction=True)
def test_a_real_process_answers_with_codes_and_tells_nobodys_name() -> None:
    here, nowhere = _test_database_url(), "postgresql://neko@127.0.0.1:1/nowhere"
    runs = [
        _run(f"{USER_ID}\n", "ban", database_url=here),
        _run(f"{USER_ID}\n", "show", "--json", database_url=here),
        _run(f"{USER_ID} {OTHER_ID}\n", "ban", database_url=here),
        _run("", "ban", str(USER_ID), database_url=here),
        _run(f"{USER_ID}\n", "pardon", database_url=here),
        _run(f"{USER_ID}\n", "ban", database_url=nowhere),
    ]
    assert [run.returncode for run in runs] == [0, 0, 2, 2, 2, 1]
    assert [run.stdout for run in runs] == [
        "banned\n",
        '{"standing": "banned", "until": null}\n',
        "",
        "",
        "",
        "",
    ]
    assert all(run.stderr for run in runs[2:])
    assert all("Traceback" not in run.stderr for run in runs)
    told = "\n".join(run.stdout + run.stderr for run in [*runs[:3], *runs[4:]])
    tag = blind_tags.actor_hash(TelegramUserId(USER_ID)).hex()
    marks = [make_mark("value", value) for value in (str(USER_ID), str(OTHER_ID), tag)]
    assert find_kinds(told.encode(), marks=marks) == []
