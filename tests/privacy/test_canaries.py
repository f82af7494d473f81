"""Marked values walk through the whole product, faults included, and are found nowhere but with Telegram."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
import redis
from canary_sweep import dump_tables, find_canaries
from product import Product

from tests.sandbox.sandbox_process import TOKEN

pytestmark = pytest.mark.processes

TEXT = "CANARY-text-kaveh-7731"
ANSWER = "قناری-پاسخ-۸۸۴۲"
NAME = "CanaryFirstName"


@contextmanager
def _overheard(redis_url: str) -> Iterator[list[str]]:
    """Everything that any process says to Valkey while the block runs."""
    heard: list[str] = []
    stopping = threading.Event()
    with redis.Redis.from_url(redis_url) as client, client.monitor() as monitor:

        def listen() -> None:
            while not stopping.is_set():
                heard.append(str(monitor.next_command()["command"]))

        listener = threading.Thread(target=listen)
        listener.start()
        yield heard
        stopping.set()
        with redis.Redis.from_url(redis_url) as other:
            while listener.is_alive():
                other.ping()
                listener.join(timeout=0.1)


def test_marked_values_are_nowhere_in_the_clear(product: Product) -> None:
    people = product.sandbox.people
    bob = people.person(NAME, "en", username="canary_user_name")
    alice = people.person(NAME, "fa")
    with _overheard(product.environment.environ["REDIS_URL"]) as heard:
        bob.says("/start")
        link = bob.awaits(lambda message: message.find_start_link() is not None).find_start_link()
        assert link is not None
        alice.opens(link)
        alice.awaits("پیامتان را")
        people.inject_fault("server_error_html", method="sendMessage", chat_id=alice.id)
        alice.says(TEXT)
        alice.awaits("✅", seconds=20)
        people.inject_fault("rate_limited", method="sendMessage", chat_id=bob.id, retry_after_seconds=1)
        bob.awaits("📬", seconds=20)
        people.inject_fault("ok_html", method="sendMessage", chat_id=bob.id)
        bob.says("/inbox")
        delivered = bob.awaits(lambda seen: seen.has_button("r:"), seconds=30)
        assert delivered.text == TEXT
        bob.says(ANSWER, reply_to=delivered)
        bob.awaits("✅", seconds=20)
        people.deliver_raw(b'{"update_id": "CANARY-text-kaveh-7731"}')
        bob.taps_data(delivered, "r:" + "A" * 43)
        alice.awaits("📬", seconds=20)

        capability = delivered.button("r:").callback_data
        assert capability is not None
        canaries = [
            TEXT,
            ANSWER,
            NAME,
            "canary_user_name",
            str(bob.id),
            str(alice.id),
            capability.removeprefix("r:"),
            TOKEN.partition(":")[2],
            product.environment.environ["NEKO_HMAC_PEPPER"],
            product.environment.environ["NEKO_MASTER_KEYS"].partition(":")[2],
            product.environment.environ["TELEGRAM_WEBHOOK_SECRET"],
        ]
        tables = dump_tables(product.database_url)

    assert {name: find_canaries(text, canaries=canaries) for name, text in tables.items()} == {
        name: [] for name in tables
    }
    assert any("outbox" in command for command in heard), "the bell was not overheard"
    assert find_canaries("\n".join(heard), canaries=canaries) == []
    assert find_canaries(product.log_text(), canaries=canaries) == []
    assert product.count("tickets.ticket", "status = 'viewed'") >= 1
    assert product.count("tickets.ticket", "status = 'viewed' AND payload IS NOT NULL") == 0
    unscrubbed = "state = 'sent' AND (body IS NOT NULL OR lane_tag IS NOT NULL)"
    assert product.count("outbox.intent", unscrubbed) == 0


def test_the_sweep_finds_what_is_there(product: Product) -> None:
    """The control: a value that is planted in the clear is found, as text and as bytes."""
    with psycopg.connect(product.database_url) as connection:
        connection.execute("INSERT INTO outbox.bot_identity VALUES ('planted', 1, %s, '', '')", [TEXT])
        connection.execute(
            "INSERT INTO outbox.parked_update VALUES (%s, %s, current_date)", [b"planted", ANSWER.encode()]
        )
    try:
        tables = dump_tables(product.database_url)
    finally:
        with psycopg.connect(product.database_url) as connection:
            connection.execute("DELETE FROM outbox.bot_identity WHERE scope = 'planted'")
            connection.execute("DELETE FROM outbox.parked_update WHERE parked_id = %s", [b"planted"])
    assert find_canaries(tables["outbox.bot_identity"], canaries=[TEXT]) == [TEXT]
    assert find_canaries(tables["outbox.parked_update"], canaries=[ANSWER]) == [ANSWER]
    assert find_canaries("\n".join(tables.values()), canaries=["nobody wrote this"]) == []
