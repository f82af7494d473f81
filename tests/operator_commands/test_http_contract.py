"""Every answer over HTTP has the same headers, every refusal the same shape, and nothing of the inside."""

import json
import re
import types
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.test import Client
from django.urls import path
from pytest_django.fixtures import Settings

from nekonymous_site import urls
from nekonymous_site.api import build_api

CANARY = "canary-7291"
Answer = Any  # the test client's, whose type its stubs keep to themselves


def fail(_request: HttpRequest) -> HttpResponse:
    raise ValueError(CANARY)


def deny(_request: HttpRequest) -> HttpResponse:
    raise PermissionDenied(CANARY)


def suspect(_request: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation(CANARY)


def talkative(_request: HttpRequest) -> HttpResponse:
    return HttpResponseServerError(CANARY)


def page(_request: HttpRequest) -> HttpResponse:
    answer = HttpResponse("<p>page")
    answer["Cache-Control"] = "max-age=60"
    answer["Content-Security-Policy"] = "default-src 'none'; style-src 'self'; frame-ancestors 'none'"
    return answer


def count(request: HttpRequest, limit: int) -> HttpResponse:
    return JsonResponse({"limit": limit})


@pytest.fixture
def probe_routes(settings: Settings) -> None:
    """Routes that go wrong in every way, beside the real ones."""
    api = build_api(setup_mode=False)
    api.get("/probe/count")(count)
    views = {"fail": fail, "deny": deny, "suspect": suspect, "talkative": talkative, "page": page}
    routes = types.ModuleType("probe_routes")
    vars(routes).update(
        urlpatterns=[*(path(f"probe/{name}", view) for name, view in views.items()), path("", api.urls)],
        handler400=urls.handler400,
        handler403=urls.handler403,
        handler404=urls.handler404,
        handler500=urls.handler500,
    )
    settings.ROOT_URLCONF = routes


def assert_headers(answer: Answer) -> None:
    assert answer["Cache-Control"] == "no-store"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "no-referrer"
    assert answer["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert answer["Content-Length"] == str(len(answer.content))
    assert re.fullmatch("[0-9a-f]{16}", answer["X-Request-Id"])
    assert not answer.cookies


def refusal_of(answer: Answer, *, status: int) -> str:
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/json"
    assert_headers(answer)
    body = json.loads(answer.content)
    assert set(body) == {"error", "request_id"}
    assert body["request_id"] == answer["X-Request-Id"]
    assert CANARY not in answer.content.decode()
    return str(body["error"])


@pytest.fixture
def quiet_client() -> Client:
    """A client that answers as a server would, instead of raising what a view raised."""
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(
    "unknown",
    [
        "/",
        "/webhook/tg/",
        "/docs",
        "/openapi.json",
        "/api/docs",
        "/api/",
        "/admin/",
        f"/{CANARY}",
        "/%ff",
        "//",
    ],
)
def test_unknown_paths(quiet_client: Client, unknown: str) -> None:
    assert refusal_of(quiet_client.get(unknown), status=404) == "not_found"


@pytest.mark.parametrize(
    ("method", "route", "allowed"),
    [
        ("GET", "/webhook/tg", {"POST"}),
        ("PUT", "/webhook/tg", {"POST"}),
        ("POST", "/healthz", {"GET", "HEAD"}),
        ("DELETE", "/ready", {"GET", "HEAD"}),
        ("OPTIONS", "/api/status", {"GET", "HEAD"}),
        ("BREW", "/healthz", {"GET", "HEAD"}),
    ],
)
def test_methods_that_are_not_allowed(
    quiet_client: Client, method: str, route: str, allowed: set[str]
) -> None:
    answer = quiet_client.generic(method, route)
    assert refusal_of(answer, status=405) == "method_not_allowed"
    assert set(answer["Allow"].split(", ")) == allowed


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "a b", "[::1", "localhost:port"])
@pytest.mark.parametrize("route", ["/healthz", "/nowhere"])
def test_hosts_that_are_not_served(quiet_client: Client, host: str, route: str) -> None:
    assert refusal_of(quiet_client.get(route, headers={"host": host}), status=400) == "invalid_request"


@pytest.mark.usefixtures("probe_routes")
class TestFailuresInside:
    @pytest.mark.parametrize(
        ("route", "status", "code"),
        [
            ("/probe/fail", 500, "internal"),
            ("/probe/talkative", 500, "internal"),
            ("/probe/deny", 400, "invalid_request"),
            ("/probe/suspect", 400, "invalid_request"),
            (f"/probe/count?limit={CANARY}", 400, "invalid_request"),
            ("/probe/count", 400, "invalid_request"),
        ],
    )
    def test_no_failure_shows_its_text(
        self, quiet_client: Client, route: str, status: int, code: str
    ) -> None:
        assert refusal_of(quiet_client.get(route), status=status) == code

    def test_a_failure_is_logged_under_the_request_id_it_was_answered_with(
        self, quiet_client: Client, capsys: pytest.CaptureFixture[str]
    ) -> None:
        answer = quiet_client.get(f"/probe/fail?text={CANARY}")
        logged = capsys.readouterr().err
        assert CANARY not in logged
        failure, refusal = (json.loads(line) for line in logged.splitlines())
        assert (failure["logger"], failure["error_class"]) == ("django.request", "ValueError")
        assert (refusal["logger"], refusal["event"], refusal["status"]) == ("http", "request_refused", 500)
        assert failure["request_id"] == refusal["request_id"] == answer["X-Request-Id"]

    def test_a_page_keeps_its_own_cache_and_policy(self, client: Client) -> None:
        answer = client.get("/probe/page")
        assert answer["Cache-Control"] == "max-age=60"
        assert "style-src 'self'" in answer["Content-Security-Policy"]
        assert answer["X-Content-Type-Options"] == "nosniff"


def test_an_unknown_path_is_logged_without_the_path(
    quiet_client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    quiet_client.get(f"/{CANARY}?text={CANARY}", headers={"user-agent": CANARY})
    (line,) = capsys.readouterr().err.splitlines()
    assert CANARY not in line
    assert json.loads(line)["status"] == 404


def test_the_request_id_is_made_here_and_new_each_time(client: Client) -> None:
    chosen = "0123456789abcdef"
    answers = [client.get("/healthz", headers={"x-request-id": chosen}) for _ in range(3)]
    assert len({answer["X-Request-Id"] for answer in answers} | {chosen}) == 4
