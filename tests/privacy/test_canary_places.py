"""The control of the sweep: a value that is planted in a place is found there, and nowhere else."""

import base64
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis
from django.conf import settings
from django.db import connection
from psycopg import ClientCursor

from nekonymous_site.canaries import data_files, database_contents, process_table, valkey_contents
from nekonymous_site.canaries.ledger import Ledger, Sample
from nekonymous_site.canaries.marks import find_kinds, make_mark

WORD = "قناری می‌نویسد: kanarya-77/31+ø 🐈"
USER_ID = "8589934592731"
MARKS = (make_mark("word", WORD), make_mark("id", USER_ID))
# What is done and undone with WORD in it, and the place in which it is found then.
PLANTS = (
    (
        "INSERT INTO outbox.bot_identity VALUES ('planted', 1, 'WORD', '', '')",
        "DELETE FROM outbox.bot_identity WHERE scope = 'planted'",
        ("tables", "outbox.bot_identity"),
    ),
    (
        "INSERT INTO outbox.parked_update VALUES ('planted', convert_to('a WORD b', 'UTF8'), current_date)",
        "DELETE FROM outbox.parked_update WHERE parked_id = 'planted'",
        ("tables", "outbox.parked_update"),
    ),
    (
        "CREATE TABLE public.planted (word text DEFAULT 'WORD')",
        "DROP TABLE public.planted",
        ("definitions", "default of planted.word"),
    ),
    (
        "COMMENT ON COLUMN outbox.lane.due_at IS 'WORD'",
        "COMMENT ON COLUMN outbox.lane.due_at IS NULL",
        ("definitions", "comment"),
    ),
    (
        "CREATE FUNCTION public.planted() RETURNS text LANGUAGE sql AS $$SELECT 'WORD'$$",
        "DROP FUNCTION public.planted",
        ("definitions", "function planted"),
    ),
    (
        """CREATE TABLE public.planted AS SELECT 'WORD' AS word FROM generate_series(1, 3);
        ANALYZE public.planted; DELETE FROM public.planted""",
        "DROP TABLE public.planted",
        ("planner statistics", "public.planted.word"),
    ),
)


def _found(samples: Iterator[Sample]) -> set[tuple[str, str, str]]:
    ledger = Ledger(MARKS)
    ledger.search(samples, moment="now")
    return {(one.group, one.place, one.kind) for one in ledger.findings()}


@pytest.mark.django_db
@pytest.mark.parametrize(("do", "undo", "place"), PLANTS)
def test_what_is_planted_in_the_database_is_found(do: str, undo: str, place: tuple[str, str]) -> None:
    assert _found(database_contents.read_database(_database_url())) == set()
    with psycopg.connect(_database_url(), autocommit=True) as session:
        session.execute(do.replace("WORD", WORD).encode())
        session.execute("SELECT 1")  # what a session has asked last is a place of its own
        try:
            seen = _found(database_contents.read_database(_database_url()))
        finally:
            session.execute(undo.encode())
    assert seen == {(*place, "word")}


@pytest.mark.django_db
def test_what_somebody_has_asked_last_is_found() -> None:
    with psycopg.connect(_database_url(), application_name="planted", cursor_factory=ClientCursor) as session:
        session.execute("SELECT %s", [WORD])
        seen = _found(database_contents.read_database(_database_url()))
    assert seen == {("running queries", "planted", "word")}


def _database_url() -> str:
    words = connection.get_connection_params()
    return psycopg.conninfo.make_conninfo(
        **{
            name: str(words[name])
            for name in ("dbname", "user", "password", "host", "port")
            if words.get(name)
        }
    )


def test_what_is_planted_in_valkey_is_found_and_overheard() -> None:
    redis_url = settings.NEKO.redis_url or ""
    with redis.Redis.from_url(redis_url) as client:
        plants: dict[str, Callable[[], object]] = {
            "planted_string": lambda: client.set("planted_string", WORD),
            "planted_list": lambda: client.rpush("planted_list", "a", base64.b64encode(WORD.encode())),
            "planted_set": lambda: client.sadd("planted_set", WORD.encode("utf-16-le")),
            "planted_hash": lambda: client.hset("planted_hash", WORD, "a field's name"),
            "planted_sorted": lambda: client.zadd("planted_sorted", {json.dumps(WORD): 1}),
        }
        try:
            with valkey_contents.overheard_commands(redis_url) as heard:
                for plant in plants.values():
                    plant()
                seen = _found(valkey_contents.read_keys(redis_url))
        finally:
            client.delete(*plants)
    assert seen == {("Valkey keys", name, "word") for name in plants}
    for name in plants:
        said = [one for one in heard if name in one and "TYPE" not in one]
        assert find_kinds("\n".join(said).encode(), marks=MARKS) == ["word"], name


def test_what_is_planted_in_the_data_folder_is_found(tmp_path: Path) -> None:
    for name in (
        "log/web.log",
        "log/worker.log.1",
        "beat/schedule",
        "keys.env",
        "sandbox.json",
        "postgres/base",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"a line\n" + json.dumps({"event": WORD}).encode())
    # Across the border of two pieces.
    filler = b"." * (data_files.PIECE_BYTES - 10)
    (tmp_path / "log" / "long.log").write_bytes(filler + WORD.encode() + filler)
    assert _found(data_files.read_files(tmp_path)) == {
        ("logs", "log/web.log", "word"),
        ("logs", "log/worker.log.1", "word"),
        ("logs", "log/long.log", "word"),
        ("other files", "beat/schedule", "word"),
    }


def test_what_is_planted_in_a_command_line_is_found() -> None:
    program = "print('here', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program, USER_ID], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as planted:
        assert planted.stdout is not None
        assert planted.stdout.readline() == "here\n"
        seen = _found(process_table.read_arguments())
        planted.communicate("\n")
    assert seen == {("process arguments", Path(sys.executable).name, "id")}
