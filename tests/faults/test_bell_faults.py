"""The bell, while the broker works, is stopped, hangs, answers nonsense, and works again."""

import base64
import json
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from celery import Celery
from django.db import transaction
from redis_places import TROUBLES, RedisPlace
from town import Town

from nekonymous_site import bell
from nekonymous_site.bell import Bell, ring
from nekonymous_site.pipeline import durable_transaction
from tests.sandbox.sandbox_process import await_that

# A broker that hangs costs a client without a bell of its own a minute and more.
GENEROUS_SECONDS = 2.0


class Broker(RedisPlace):
    """A place where a broker may be, with its address as Celery has it and the rings that lie there."""

    @property
    def broker_url(self) -> str:
        return f"redis+socket://{self.path}?virtual_host=0"

    def go_on(self) -> None:
        assert self._server is not None
        self._server.send_signal(signal.SIGCONT)

    def rings(self, queue: Bell) -> list[dict[str, Any]]:
        """The rings that nobody has heard yet."""
        with redis.Redis(unix_socket_path=str(self.path)) as client:
            return [json.loads(raw) for raw in client.lrange(queue.value, 0, -1)]


@pytest.fixture
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    broker = Broker(tmp_path_factory.mktemp("v"))
    yield broker
    broker.end()


class _OwnApplication:
    """A Celery application for one thread; what an earlier test's thread still wants to ring is dropped."""

    def __init__(self, url: str, ringer: bell._Ringer) -> None:
        self._ringer = ringer
        self._celery = Celery("bell-of-the-test", set_as_current=False)
        self._celery.config_from_object("django.conf:settings", namespace="CELERY")
        self._celery.conf.update(broker_url=url)

        self._sending = threading.Lock()
        self._is_closed = False

    def send_task(self, name: str, **options: object) -> None:
        with self._sending:
            if threading.current_thread() is self._ringer._thread and not self._is_closed:
                self._celery.send_task(name, **options)

    def close(self) -> None:
        """Send no more, once what is being sent has been given up."""
        self._is_closed = True
        with self._sending:
            self._celery.close()


@pytest.fixture
def own_bell(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process ring at that broker, from a thread of the test's own."""
    ringer = bell._Ringer()
    monkeypatch.setattr(bell, "_ringer", ringer)
    application = _OwnApplication(broker.broker_url, ringer)
    monkeypatch.setattr(bell, "current_app", application)
    monkeypatch.setattr(bell, "QUIET_SECONDS_AFTER_FAILURE", 0.1)
    yield
    application.close()


pytestmark = pytest.mark.usefixtures("own_bell")


def _recover(broker: Broker, trouble: str) -> None:
    if trouble == "hanging":
        broker.go_on()
    else:
        broker.start()


def test_a_ring_says_that_there_is_work_and_nothing_else(broker: Broker) -> None:
    broker.start()
    ring(Bell.OUTBOX)
    await_that(lambda: bool(broker.rings(Bell.OUTBOX)), what="the ring")
    [heard] = broker.rings(Bell.OUTBOX)
    arguments, named, _ = json.loads(base64.b64decode(heard["body"]))
    assert (arguments, named) == ([], {})
    assert heard["headers"]["task"] == "outbox"
    assert heard["headers"]["expires"] is not None, "what nobody hears runs out"
    assert broker.rings(Bell.INBOX_DRAIN) == broker.rings(Bell.NOTIFICATION) == []


def test_rings_that_come_together_become_few(broker: Broker) -> None:
    broker.start()
    for _ in range(300):
        ring(Bell.NOTIFICATION)
    await_that(lambda: bool(broker.rings(Bell.NOTIFICATION)), what="the ring")
    ring(Bell.INBOX_DRAIN)
    await_that(lambda: bool(broker.rings(Bell.INBOX_DRAIN)), what="the last ring")
    assert len(broker.rings(Bell.NOTIFICATION)) <= 5


def test_a_countdown_is_kept_under_five_seconds(broker: Broker) -> None:
    broker.start()
    ring(Bell.OUTBOX, countdown_seconds=3600)
    await_that(lambda: bool(broker.rings(Bell.OUTBOX)), what="the ring")
    [heard] = broker.rings(Bell.OUTBOX)
    eta = time.mktime(time.strptime(heard["headers"]["eta"][:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone
    assert eta - time.time() <= 5.5


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_broker_in_trouble_holds_nobody_up_and_is_rung_again(
    broker: Broker, trouble: str, capsys: pytest.CaptureFixture[str]
) -> None:
    TROUBLES[trouble](broker)
    started = time.monotonic()
    for _ in range(500):
        ring(Bell.OUTBOX)
    assert time.monotonic() - started < GENEROUS_SECONDS
    await_that(lambda: "ring_lost" in capsys.readouterr().err, what="the bell's thread to have given up")
    _recover(broker, trouble)

    def is_heard() -> bool:
        ring(Bell.INBOX_DRAIN)
        return bool(broker.rings(Bell.INBOX_DRAIN))

    await_that(is_heard, what="a ring after the trouble")


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_broker_in_trouble_does_not_slow_an_update(
    lasting_town: Town, broker: Broker, trouble: str
) -> None:
    bob, link = lasting_town.owner()
    alice = lasting_town.person("Alice")
    TROUBLES[trouble](broker)
    alice.opens(link)
    alice.says("while the broker is in trouble")
    bob.says("/inbox")
    started = time.monotonic()
    answers = lasting_town.take_updates()
    assert time.monotonic() - started < GENEROUS_SECONDS
    assert [answer.status for answer in answers] == [200, 200, 200]
    lasting_town.settle()
    bob.says("/inbox")
    lasting_town.settle()
    assert len(lasting_town.delivered(bob)) == 1


@pytest.mark.django_db(transaction=True)
def test_a_ring_follows_its_commit_and_no_rollback(broker: Broker) -> None:
    broker.start()
    with durable_transaction():
        bell.ring_after_commit(Bell.OUTBOX)
        assert not bell._ringer._waiting
    await_that(lambda: len(broker.rings(Bell.OUTBOX)) == 1, what="the ring")
    with pytest.raises(ZeroDivisionError):
        _ring_and_fail()
    ring(Bell.NOTIFICATION)
    await_that(lambda: bool(broker.rings(Bell.NOTIFICATION)), what="the last ring")
    assert broker.rings(Bell.INBOX_DRAIN) == []


def _ring_and_fail() -> None:
    with transaction.atomic():
        bell.ring_after_commit(Bell.INBOX_DRAIN)
        raise ZeroDivisionError
