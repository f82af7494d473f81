"""The HTTP routes: the webhook, and what a supervisor or an operator asks."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI, Router
from ninja.errors import ValidationError

from nekonymous_site.bot.update_intake import take_update
from nekonymous_site.http_errors import RETRY_AFTER_SECONDS, Refusal
from nekonymous_site.readiness import process_readiness
from nekonymous_site.version_fingerprint import version_fingerprint
from nekonymous_site.webhook_request import read_bounded_body, refuse_stranger

READ = ["GET", "HEAD"]

status_routes = Router()
webhook_routes = Router()


def build_api(*, setup_mode: bool) -> NinjaAPI:
    """The API of this process; in setup mode it only says that it lives and what it lacks."""
    api = NinjaAPI(docs_url=None, openapi_url=None, urls_namespace="setup" if setup_mode else "api")
    api.add_exception_handler(ValidationError, _refuse_invalid_parameters)
    api.add_router("", status_routes)
    if not setup_mode:
        api.add_router("", webhook_routes)
    return api


def _refuse_invalid_parameters(
    _request: HttpRequest, _error: ValidationError | type[ValidationError]
) -> HttpResponse:
    # The library would answer 422 and quote what was sent.
    return Refusal("invalid_request")


@webhook_routes.post("/webhook/tg", url_name="webhook")
def webhook(request: HttpRequest) -> HttpResponse:
    """One update from Telegram: secret first, then size, then the intake, which decides on the answer."""
    body = refuse_stranger(request) or read_bounded_body(request)
    if isinstance(body, Refusal):
        return body
    answer = take_update(body)
    if answer.status >= 400:
        return Refusal("unavailable", retry_after_seconds=answer.retry_after_seconds or RETRY_AFTER_SECONDS)
    return HttpResponse(content_type="text/plain") if answer.body is None else JsonResponse(answer.body)


@status_routes.api_operation(READ, "/healthz", url_name="healthz")
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - ninja knows it by this name
    """The process is alive; nothing else is asked."""
    return JsonResponse({"status": "ok"})


@status_routes.api_operation(READ, "/ready", url_name="ready")
def ready(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - ninja knows it by this name
    """The process can accept messages; "degraded" when only speed is missing."""
    if settings.NEKO.setup_mode:
        return Refusal("unavailable", retry_after_seconds=RETRY_AFTER_SECONDS)
    readiness = process_readiness().ask()
    if not readiness.can_accept:
        return Refusal("unavailable", retry_after_seconds=RETRY_AFTER_SECONDS)
    words = {name: "ok" if passed else "failing" for name, passed in readiness.checks.items()}
    return JsonResponse({"status": "degraded" if readiness.is_degraded else "ready", "checks": words})


@status_routes.api_operation(READ, "/api/status", url_name="status")
def status(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - ninja knows it by this name
    """What runs here, without anything secret: names that are missing, never values."""
    environment = settings.NEKO
    return JsonResponse(
        {
            "mode": "setup" if environment.setup_mode else environment.mode,
            "version": version_fingerprint(),
            "missing": list(environment.missing),
        }
    )
