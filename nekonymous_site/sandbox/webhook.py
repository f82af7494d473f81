"""The webhook the bot has registered, and what became of the last deliveries."""

import time
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.json_types import JsonObject

_SECRET_TOKEN_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
DEFAULT_MAX_CONNECTIONS = 40


@dataclass(slots=True, kw_only=True)
class Webhook:
    """Where updates go; an empty URL means nowhere, so that they can be polled for."""

    url: str = ""
    secret_token: str = ""
    max_connections: int = DEFAULT_MAX_CONNECTIONS
    # Rises with every registration, so that a lane that waits for its next try notices.
    generation: int = 0
    last_error_date: int | None = None
    last_error_message: str = ""

    def register(self, *, url: str, secret_token: str, max_connections: int) -> None:
        """Send updates there from now on."""
        self.url = url
        self.secret_token = secret_token
        self.max_connections = max_connections
        self.generation += 1
        self.last_error_date = None
        self.last_error_message = ""

    def remove(self) -> None:
        """Send updates nowhere."""
        self.register(url="", secret_token="", max_connections=DEFAULT_MAX_CONNECTIONS)

    def note_error(self, message: str) -> None:
        """Remember why a delivery failed."""
        self.last_error_date = int(time.time())
        self.last_error_message = message

    def as_json(self, *, pending_update_count: int, allowed_updates: list[str] | None) -> JsonObject:
        """The webhook as a WebhookInfo object."""
        info: JsonObject = {
            "url": self.url,
            "has_custom_certificate": False,
            "pending_update_count": pending_update_count,
        }
        if self.url:
            info |= {"max_connections": self.max_connections}
        if self.last_error_date is not None:
            info |= {"last_error_date": self.last_error_date, "last_error_message": self.last_error_message}
        if allowed_updates:
            info |= {"allowed_updates": allowed_updates}
        return info


def check_webhook_url(url: str) -> None:
    """Raise BotApiError unless this is an address on this machine: nothing of the sandbox leaves it."""
    try:
        parts = urlsplit(url)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        raise bad_request("bad webhook: invalid URL specified") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or not has_port:
        raise bad_request("bad webhook: invalid URL specified")
    if not is_loopback_host(parts.hostname):
        raise bad_request("bad webhook: the sandbox delivers to this machine only")


def check_secret_token(secret_token: str) -> None:
    """Raise BotApiError for a secret the server would not take."""
    if len(secret_token) > 256:
        raise bad_request("secret token is too long")
    if not _SECRET_TOKEN_CHARACTERS.issuperset(secret_token):
        raise bad_request("secret token contains unallowed characters")


def is_loopback_host(host: str) -> bool:
    """Whether a host name or address means this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
