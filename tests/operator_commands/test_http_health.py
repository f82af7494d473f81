"""Being alive, having a status, and setup mode: what answers when nothing else can."""

import re
import types
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import path
from pytest_django.fixtures import Settings

from nekonymous_site import urls
from nekonymous_site.api import build_api

MISSING = ("TELEGRAM_BOT_TOKEN", "NEKO_HMAC_PEPPER")


@pytest.fixture
def in_setup_mode(settings: Settings) -> None:
    settings.NEKO = replace(
        settings.NEKO, mode="production", missing=MISSING, hmac_pepper=None, bot_token=None
    )
    routes = types.ModuleType("setup_mode_routes")
    vars(routes).update(urlpatterns=[path("", build_api(setup_mode=True).urls)], handler404=urls.handler404)
    settings.ROOT_URLCONF = routes


# No test here may use the database, pytest-django refuses it to them: an answer proves that it is not asked.


def test_healthz_asks_nothing(client: Client, settings: Settings) -> None:
    settings.NEKO = replace(settings.NEKO, redis_url="redis://127.0.0.1:1/0", api_url="http://127.0.0.1:1")
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert client.head("/healthz").status_code == 200


def test_the_status_names_mode_and_version_and_nothing_secret(client: Client, settings: Settings) -> None:
    answer = client.get("/api/status")
    body = answer.json()
    assert set(body) == {"mode", "version", "missing"}
    assert (body["mode"], body["missing"]) == (settings.NEKO.mode, [])
    assert re.fullmatch(r"\d+\.\d+\.\d+\+[0-9a-f]{12}", body["version"])
    shown = answer.content.decode()
    for secret in (
        settings.NEKO.bot_token,
        settings.NEKO.master_keys,
        settings.NEKO.hmac_pepper,
        settings.NEKO.webhook_secret,
        settings.NEKO.database_url,
    ):
        assert secret is not None
        assert secret not in shown


def test_a_name_missing_in_development_is_shown(client: Client, settings: Settings) -> None:
    settings.NEKO = replace(settings.NEKO, mode="development", missing=MISSING)
    assert client.get("/api/status").json()["missing"] == list(MISSING)
    assert client.get("/api/status").json()["mode"] == "development"


@pytest.mark.usefixtures("in_setup_mode")
class TestSetupMode:
    def test_it_lives_and_names_what_is_missing(self, client: Client) -> None:
        assert client.get("/healthz").status_code == 200
        status = client.get("/api/status").json()
        assert (status["mode"], status["missing"]) == ("setup", list(MISSING))

    def test_it_is_not_ready(self, client: Client) -> None:
        answer = client.get("/ready")
        assert (answer.status_code, answer["Retry-After"]) == (503, "30")
        assert answer.json()["error"] == "unavailable"

    @pytest.mark.parametrize("route", ["/webhook/tg", "/", "/metrics"])
    def test_nothing_else_exists(self, client: Client, route: str) -> None:
        for answer in (client.get(route), client.post(route, data=b"{}", content_type="application/json")):
            assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
