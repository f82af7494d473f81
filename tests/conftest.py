"""What every test stands on: one sandbox process a worker, made-up keys, and a town on a real database."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.conf import settings as django_settings
from product import Product, running_product
from pytest_django.fixtures import Settings
from town import Town, identify

from nekonymous_site.bot import bot_identity
from nekonymous_site.rate_limits import Rates
from outbox import telegram_client
from tests.sandbox.sandbox_process import TOKEN, RunningSandbox


def pytest_addoption(parser: pytest.Parser) -> None:
    # Here and not beside the test, since pytest asks for options before it looks into folders.
    parser.addoption(
        "--model-histories", type=int, help="how many random histories tests/model lives through"
    )


@pytest.fixture(scope="session")
def town_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    """One sandbox for all stories of a worker."""
    running = RunningSandbox(tmp_path_factory.mktemp("town") / "state.json")
    yield running
    running.stop()


@pytest.fixture
def bot_at_sandbox(town_sandbox: RunningSandbox, settings: Settings) -> Iterator[RunningSandbox]:
    """Point this process's bot at the sandbox, and leave the sandbox as it was found."""
    environment = replace(
        django_settings.NEKO,
        bot_token=TOKEN,
        bot_id=int(TOKEN.partition(":")[0]),
        api_url=town_sandbox.base_url,
        webhook_secret="made-up-webhook-secret-0123456789",
    )
    settings.NEKO = environment
    # Made-up people act faster than anybody; tests of the rates set their own.
    settings.NEKO_RATES = Rates(updates=10**6, first_messages=10**6)
    telegram_client.forget_connections()
    bot_identity.forget_bot()
    town_sandbox.call("deleteWebhook", drop_pending_updates=True)
    yield town_sandbox
    town_sandbox.people.clear_faults()
    town_sandbox.people.forget_calls()
    telegram_client.forget_connections()
    bot_identity.forget_bot()


@pytest.fixture
def town(bot_at_sandbox: RunningSandbox, db: None) -> Town:
    """A town whose database is rolled back after the story."""
    identify()
    return Town(sandbox=bot_at_sandbox.people)


@pytest.fixture
def lasting_town(bot_at_sandbox: RunningSandbox, transactional_db: None) -> Town:
    """A town whose transactions really commit, for stories with threads or processes."""
    identify()
    return Town(sandbox=bot_at_sandbox.people)


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The whole product behind a webhook."""
    with _product(tmp_path_factory, updates="webhook", redis_database=1) as running:
        yield running


@pytest.fixture(scope="session")
def polling_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The whole product with long polling."""
    with _product(tmp_path_factory, updates="polling", redis_database=2) as running:
        yield running


@contextmanager
def _product(folders: pytest.TempPathFactory, *, updates: str, redis_database: int) -> Iterator[Product]:
    with running_product(
        folders.mktemp(updates),
        updates=updates,
        redis_database=redis_database,
        template=os.environ["NEKO_TEST_TEMPLATE"],
        environ=os.environ,
    ) as running:
        yield running
