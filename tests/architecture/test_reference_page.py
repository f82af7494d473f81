"""docs/reference.md names every table, Redis key, variable, route and command there is, and no others."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

import pytest
import redis
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from django.urls import URLPattern, URLResolver, get_resolver
from markdown_tables import code_words, tables_by_heading
from pytest_django.fixtures import Settings
from source_tree import PACKAGES, parse, product_sources

from nekonymous_site.api import status_routes, webhook_routes
from nekonymous_site.celery import app
from nekonymous_site.crypto.identifiers import ActorHash
from nekonymous_site.embedded.product_processes import WORKER_QUEUES
from nekonymous_site.environment import CHECKOUT, read_environment
from nekonymous_site.rate_limits import count_first_message, note_told, take_allowance

PAGE: Final = CHECKOUT / "docs" / "reference.md"
TABLES: Final = tables_by_heading(PAGE)
OUR_NAME: Final = re.compile(r"(?:NEKO|TELEGRAM)_[A-Z0-9]+(?:_[A-Z0-9]+)*|PUBLIC_URL|DATABASE_URL|REDIS_URL")
# A database of the broker that neither the product nor another test uses.
SPARE_REDIS_DATABASE: Final = 13


def listed(heading: str, column: str) -> list[str]:
    """The one code word in each row of a column."""
    words = [code_words(row[column]) for row in TABLES[heading]]
    assert words, heading
    assert all(len(found) == 1 for found in words), (heading, words)
    names = [found[0] for found in words]
    assert len(names) == len(set(names)), heading
    return names


@pytest.mark.parametrize("heading", ["Tables", "Redis keys", "Environment", "Routes", "Commands"])
def test_every_row_is_told_in_full(heading: str) -> None:
    optional = {"default", "or file", "in setup mode", "options"}
    gaps = [
        row for row in TABLES[heading] for title, cell in row.items() if not cell and title not in optional
    ]

    assert gaps == []


@pytest.mark.django_db
def test_tables() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT table_schema || '.' || table_name FROM information_schema.tables
            WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
            """
        )
        live = {name for (name,) in cursor.fetchall()}

    assert set(listed("Tables", "table")) == live


def test_queues() -> None:
    queues = listed("Queues", "queue")

    assert set(queues) == set(settings.CELERY_QUEUES) == settings.CELERY_TASK_QUEUES.keys()
    assert WORKER_QUEUES.split(",") == list(settings.CELERY_QUEUES)


def test_every_queue_with_a_task_says_what_it_does() -> None:
    app.loader.import_default_modules()
    ours = {name for name, task in app.tasks.items() if task.__module__.partition(".")[0] in PACKAGES}
    idle = {code_words(row["queue"])[0] for row in TABLES["Queues"] if row["its task does"] == "nothing yet"}

    assert set(settings.CELERY_QUEUES) - idle == ours


def in_spare_database(address: str) -> str:
    """The same server, another of its databases."""
    spare, replaced = re.subn(r"((?:db|virtual_host)=)[0-9]+", rf"\g<1>{SPARE_REDIS_DATABASE}", address)
    return spare if replaced else urlsplit(address)._replace(path=f"/{SPARE_REDIS_DATABASE}").geturl()


@pytest.fixture
def spare_redis() -> Iterator[redis.Redis]:
    """A client of an unused database of the broker, emptied before and after."""
    client = redis.Redis.from_url(in_spare_database(settings.NEKO.redis_url or ""), decode_responses=True)
    client.flushdb()
    yield client
    client.flushdb()
    client.close()


def test_redis_keys(spare_redis: redis.Redis, settings: Settings) -> None:
    """Ring twice in every queue of a real broker, hear one ring and leave it open: what lies there then?

    Somebody's updates and first messages are counted there as well.
    """
    settings.NEKO = replace(settings.NEKO, redis_url=in_spare_database(settings.NEKO.redis_url or ""))
    take_allowance(ActorHash(b"somebody"))
    count_first_message(ActorHash(b"somebody"))
    note_told(ActorHash(b"somebody"))
    seen: set[str] = set()
    with app.connection_for_write(in_spare_database(settings.CELERY_BROKER_URL)) as broker:
        channel = broker.channel()
        for name in settings.CELERY_QUEUES:
            queue = app.amqp.queues[name](channel)
            queue.declare()
            for _ in range(2):
                broker.Producer(channel).publish({}, routing_key=name, exchange=queue.exchange)
            message = queue.get(no_ack=False)
            seen |= {str(key) for key in spare_redis.scan_iter()}
            message.ack()
    patterns = [
        re.escape(key).replace("<queue>", r"\w+").replace("<tag>", "[0-9a-f]{32}")
        for key in listed("Redis keys", "key")
    ]
    used = {pattern for pattern in patterns for key in seen if re.fullmatch(pattern, key)}

    assert {key for key in seen if not any(re.fullmatch(pattern, key) for pattern in patterns)} == set()
    # The lock for taking back lost rings is held by a worker and for a moment only.
    assert set(patterns) - used <= {"unacked_mutex"}


class AskedNames(Mapping[str, str]):
    """An empty environment that remembers for which names it was asked."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def test_environment_variables() -> None:
    asked = AskedNames()
    read_environment(asked)
    from_files = {code_words(row["name"])[0] for row in TABLES["Environment"] if row["or file"] == "yes"}

    assert {name for name in asked.names if not name.endswith("_FILE")} == set(listed("Environment", "name"))
    assert {name.removesuffix("_FILE") for name in asked.names if name.endswith("_FILE")} == from_files


def test_names_of_the_launcher() -> None:
    """Whatever name of ours the code spells out stands on the page; so none can be read on the side."""
    spelled = {
        node.value.removesuffix("_FILE")
        for path in product_sources()
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and OUR_NAME.fullmatch(node.value)
    }
    in_script = set(OUR_NAME.findall((CHECKOUT / "neko").read_text(encoding="utf-8")))
    launcher_names = set(listed("Names of the launcher", "name"))

    assert spelled | in_script == set(listed("Environment", "name")) | launcher_names


def served_paths(patterns: list[URLPattern | URLResolver], prefix: str = "/") -> Iterator[str]:
    for pattern in patterns:
        path = f"{prefix}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from served_paths(pattern.url_patterns, path)
        elif pattern.name != "api-root":  # the library's own, which always answers 404
            yield path


def test_routes() -> None:
    served = {
        f"{method} {path}"
        for router in (status_routes, webhook_routes)
        for path, view in router.path_operations.items()
        for operation in view.operations
        for method in operation.methods
    }
    named = set(listed("Routes", "route"))

    assert named == served
    assert {route.partition(" ")[2] for route in named} == set(served_paths(get_resolver().url_patterns))


def test_routes_of_setup_mode() -> None:
    said = {code_words(row["route"])[0].partition(" ")[2] for row in TABLES["Routes"] if row["in setup mode"]}

    assert said == set(status_routes.path_operations)


def launcher_commands() -> set[str]:
    """The words that the launcher compares its command with, and the help of the script before it."""
    compared = {
        constant.value
        for node in ast.walk(parse(CHECKOUT / "nekonymous_site" / "embedded" / "launcher.py"))
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == "command"
        for constant in ast.walk(node)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    }
    script = (CHECKOUT / "neko").read_text(encoding="utf-8")
    assert "help | -h | --help)" in script
    return compared | {"help"}


def own_commands() -> dict[str, BaseCommand]:
    return {
        name: load_command_class(origin, name)
        for name, origin in get_commands().items()
        if not origin.startswith("django.")
    }


def test_commands() -> None:
    assert set(listed("Commands", "command")) == own_commands().keys() | launcher_commands()


def options_of(command: BaseCommand) -> set[str]:
    parser: CommandParser = command.create_parser("neko", "command")
    plain: CommandParser = BaseCommand().create_parser("neko", "command")
    common = {option for action in plain._actions for option in action.option_strings}
    return {
        name
        for action in parser._actions
        for name in (action.option_strings or [action.dest])
        if name not in common
    }


def test_options_of_commands() -> None:
    rows = {code_words(row["command"])[0]: set(code_words(row["options"])) for row in TABLES["Commands"]}

    assert {name: rows[name] for name in own_commands()} == {
        name: options_of(command) for name, command in own_commands().items()
    }
