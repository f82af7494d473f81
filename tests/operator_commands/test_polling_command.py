"""`poll` fetches only where updates are meant to be fetched: it would end a webhook."""

from dataclasses import replace

import pytest
from django.conf import settings as settings_now
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from tests.sandbox.sandbox_process import RunningSandbox


@pytest.mark.django_db
def test_poll_leaves_a_webhook_alone(bot_at_sandbox: RunningSandbox, settings: Settings) -> None:
    bot_at_sandbox.call("setWebhook", url="http://127.0.0.1:9/webhook/tg")
    settings.NEKO = replace(settings_now.NEKO, updates="webhook")
    with pytest.raises(CommandError, match="NEKO_UPDATES=polling"):
        call_command("poll")
    assert bot_at_sandbox.call("getWebhookInfo")["url"] == "http://127.0.0.1:9/webhook/tg"
