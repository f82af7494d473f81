"""One sandbox process per worker; each test finds it without a webhook, faults or waiting updates."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.sandbox_process import RunningSandbox
from tests.sandbox.webhook_receiver import WebhookReceiver


@pytest.fixture(scope="session")
def shared_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    running = RunningSandbox(
        tmp_path_factory.mktemp("sandbox") / "state.json",
        "--webhook-retry-cap-seconds=1",
        "--webhook-timeout-seconds=5",
        "--callback-lifetime-seconds=3",
    )
    yield running
    running.stop()


@pytest.fixture
def sandbox(shared_sandbox: RunningSandbox) -> Iterator[RunningSandbox]:
    yield shared_sandbox
    shared_sandbox.people.clear_faults()
    shared_sandbox.people.enforce_rates(enforced=False)
    shared_sandbox.call("deleteWebhook", drop_pending_updates=True)
    shared_sandbox.call("getUpdates", allowed_updates=[])
    shared_sandbox.people.forget_calls()


@pytest.fixture
def receiver(sandbox: RunningSandbox) -> Iterator[WebhookReceiver]:
    receiver = WebhookReceiver()
    yield receiver
    sandbox.call("deleteWebhook", drop_pending_updates=True)
    receiver.close()


@pytest.fixture
def own_state(tmp_path: Path) -> Path:
    return tmp_path / "state.json"
