"""Marked values walk through the whole product, faults included, and are found nowhere but with Telegram."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg
import pytest
import redis
from canary_sweep import dump_tables, find_canaries
from product import Product, wait_until

from nekonymous_site.sandbox.people import Person, Sandbox, SeenMessage
from tests.sandbox.sandbox_process import TOKEN

pytestmark = pytest.mark.processes

TEXT = "CANARY-text-kaveh-7731"
ANSWER = "قناری-پاسخ-۸۸۴۲"
NAME = "CanaryFirstName"
CAPTION = "CANARY-caption-of-a-file"
FILE_NAME = "canary-cv-of-kaveh.pdf"
ALBUM_CAPTION = "قناری در یک آلبوم"
WITHDRAWN = "CANARY-which-was-taken-back"
NICKNAME = "قناری کوچک"
DISPLAY_NAME = "Canary of the house"
WORDS = (TEXT, ANSWER, CAPTION, FILE_NAME, ALBUM_CAPTION, WITHDRAWN, NICKNAME, DISPLAY_NAME)


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
        try:
            yield heard
        finally:
            stopping.set()
            with redis.Redis.from_url(redis_url) as other:
                while listener.is_alive():
                    other.ping()
                    listener.join(timeout=0.1)


@dataclass(frozen=True, slots=True)
class _Walk:
    """What goes through the house, one scene a person, so that nobody acts faster than they may."""

    product: Product
    canaries: list[str] = field(default_factory=list)
    found: dict[str, list[str]] = field(default_factory=dict)

    @property
    def people(self) -> Sandbox:
        return self.product.sandbox.people

    def look(self, moment: str) -> None:
        """Search all tables as they are at this moment."""
        for name, rows in dump_tables(self.product.database_url).items():
            self.found[f"{name} {moment}"] = find_canaries(rows, canaries=self.canaries)

    def mark_files_of(self, person: Person) -> None:
        self.canaries.extend(str(message.file_id) for message in person.sees() if message.file_id)

    def break_sends(self, fault: str, person: Person, *, method: str = "sendMessage") -> None:
        self.people.inject_fault(fault, method=method, chat_id=person.id, retry_after_seconds=1)

    def meet(self, language: str = "en") -> Person:
        person = self.people.person(NAME, language, username="canary_user_name")
        self.canaries.append(str(person.id))
        return person


def _begin(walk: _Walk) -> tuple[Person, str]:
    """Bob has a link and a name that others see when they open it."""
    bob = walk.meet()
    bob.says("/start")
    link = bob.awaits(lambda message: message.find_start_link() is not None).find_start_link()
    assert link is not None
    bob.says("/settings")
    bob.taps(bob.awaits(lambda seen: seen.has_button("st:name")), "st:name")
    bob.awaits("/cancel")
    bob.says(DISPLAY_NAME)
    bob.awaits(DISPLAY_NAME)
    return bob, link


def _write_a_text(walk: _Walk, link: str) -> Person:
    alice = walk.meet("fa")
    alice.opens(link)
    alice.awaits(DISPLAY_NAME)
    walk.break_sends("server_error_html", alice)
    alice.says(TEXT)
    alice.awaits("✅", seconds=20)
    return alice


def _send_a_named_file(walk: _Walk, link: str) -> None:
    carol = walk.meet()
    carol.opens(link)
    carol.awaits("Send your message now")
    carol.sends("document", caption=CAPTION, extra={"file_name": FILE_NAME})
    question = carol.awaits(lambda seen: seen.has_button("y:"))
    walk.mark_files_of(carol)
    walk.look("while a question is open")
    assert walk.product.count("accounts.composition", "ready_at IS NULL") == 1
    carol.taps(question, "y:")
    carol.awaits("✅")


def _send_an_album(walk: _Walk, link: str) -> None:
    dave = walk.meet()
    dave.opens(link)
    dave.awaits("Send your message now")
    dave.sends_album([("photo", ALBUM_CAPTION), ("photo", "")])
    wait_until(lambda: walk.product.count("accounts.composition", "ready_at IS NOT NULL") == 1)
    walk.mark_files_of(dave)
    walk.look("while an album gathers")
    dave.awaits("✅", seconds=20)


def _take_a_text_back(walk: _Walk, link: str) -> None:
    erin = walk.meet()
    erin.opens(link)
    erin.awaits("Send your message now")
    erin.says(WITHDRAWN)
    accepted = erin.awaits("✅")
    walk.canaries.append(str(accepted.button("w:").callback_data).removeprefix("w:"))
    walk.look("before a message is taken back")
    tap = erin.taps(accepted, "w:")
    assert erin.awaits_toast(tap).is_answered
    assert walk.product.count("tickets.ticket", "status = 'withdrawn'") == 1


def _fetch_all(walk: _Walk, bob: Person) -> SeenMessage:
    """Bob fetches everything over a bad line; gives the text that was delivered."""
    walk.break_sends("rate_limited", bob)
    bob.awaits("📬", seconds=20)
    walk.break_sends("ok_html", bob)
    walk.break_sends("server_error_json", bob, method="sendDocument")
    walk.break_sends("reset_after", bob, method="sendMediaGroup")
    bob.says("/inbox")
    wait_until(lambda: walk.product.count("accounts.unread") == 0)
    received = {message.text or message.caption for message in bob.sees() if message.is_protected}
    assert received >= {TEXT, CAPTION, ALBUM_CAPTION}
    assert WITHDRAWN not in received
    return next(message for message in bob.sees() if message.text == TEXT)


def _name_and_answer(walk: _Walk, bob: Person, delivered: SeenMessage) -> None:
    walk.canaries.append(str(delivered.button("r:").callback_data).removeprefix("r:"))
    bob.taps(delivered, "n:")
    bob.awaits("/cancel")
    walk.look("while a nickname is asked for")
    bob.says(NICKNAME)
    bob.awaits(NICKNAME)
    bob.says(ANSWER, reply_to=delivered)
    bob.awaits("✅", seconds=20)
    walk.people.deliver_raw(b'{"update_id": "CANARY-text-kaveh-7731"}')
    bob.taps_data(delivered, "r:" + "A" * 43)
    bob.taps_data(delivered, "w:" + "A" * 43)


def test_marked_values_are_nowhere_in_the_clear(product: Product) -> None:
    environ = product.environment.environ
    secrets = [
        TOKEN.partition(":")[2],
        environ["NEKO_HMAC_PEPPER"],
        environ["NEKO_MASTER_KEYS"].partition(":")[2],
        environ["TELEGRAM_WEBHOOK_SECRET"],
    ]
    walk = _Walk(product, [*WORDS, NAME, "canary_user_name", *secrets])
    with _overheard(environ["REDIS_URL"]) as heard:
        bob, link = _begin(walk)
        alice = _write_a_text(walk, link)
        _send_a_named_file(walk, link)
        _send_an_album(walk, link)
        _take_a_text_back(walk, link)
        _name_and_answer(walk, bob, _fetch_all(walk, bob))
        alice.awaits("📬", seconds=20)
        walk.look("in the end")

    assert len(walk.canaries) > 20
    assert {name: found for name, found in walk.found.items() if found} == {}
    assert any("outbox" in command for command in heard), "the bell was not overheard"
    assert any("rate:" in command for command in heard), "nor were the rates"
    assert find_canaries("\n".join(heard), canaries=walk.canaries) == []
    assert find_canaries(product.log_text(), canaries=walk.canaries) == []
    assert product.count("tickets.ticket", "status = 'viewed'") >= 3
    assert product.count("tickets.ticket", "status <> 'sealed' AND payload IS NOT NULL") == 0
    assert product.count("accounts.composition") == 0
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
