"""Requests to a running sandbox's control API."""

from typing import Any

import requests

from nekonymous_site.sandbox.json_types import JsonObject

REQUEST_TIMEOUT_SECONDS = 10.0


class SandboxRefused(Exception):
    """The sandbox refused what was asked; the message is its own."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class SandboxUnreachable(Exception):
    """No sandbox answers at this address."""


class ControlClient:
    """Calls one sandbox. Keeps no connection open, so it may be shared by threads and outlive the sandbox."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url.rstrip("/")

    def get(
        self, path: str, *, timeout_seconds: float = REQUEST_TIMEOUT_SECONDS, **query: object
    ) -> JsonObject:
        """Read. Raises SandboxRefused, SandboxUnreachable."""
        return self._call("GET", path, timeout_seconds=timeout_seconds, params=query)

    def post(self, path: str, body: JsonObject | None = None) -> JsonObject:
        """Act. Raises SandboxRefused, SandboxUnreachable."""
        return self._call("POST", path, json=body or {})

    def patch(self, path: str, body: JsonObject) -> JsonObject:
        """Change. Raises SandboxRefused, SandboxUnreachable."""
        return self._call("PATCH", path, json=body)

    def put(self, path: str, body: JsonObject) -> JsonObject:
        """Set. Raises SandboxRefused, SandboxUnreachable."""
        return self._call("PUT", path, json=body)

    def post_bytes(self, path: str, body: bytes) -> JsonObject:
        """Send a body as it is. Raises SandboxRefused, SandboxUnreachable."""
        return self._call("POST", path, data=body)

    def delete(self, path: str) -> None:
        """Clear. Raises SandboxRefused, SandboxUnreachable."""
        self._call("DELETE", path)

    def _call(
        self,
        method: str,
        path: str,
        *,
        timeout_seconds: float = REQUEST_TIMEOUT_SECONDS,
        **content: Any,  # noqa: ANN401 - goes to requests as it is
    ) -> JsonObject:
        with requests.Session() as session:
            # A proxy from the environment must not see loopback traffic.
            session.trust_env = False
            session.headers["Connection"] = "close"
            try:
                response = session.request(
                    method, f"{self.base_url}{path}", timeout=timeout_seconds, **content
                )
            except requests.RequestException as error:
                reason = f"no sandbox answers at {self.base_url} ({type(error).__name__})"
                raise SandboxUnreachable(reason) from None
        if response.status_code >= 400:
            raise SandboxRefused(response.status_code, _read_error(response))
        return _read_body(response)


def _read_body(response: requests.Response) -> JsonObject:
    if response.status_code == 204:
        return {}
    try:
        body = response.json()
    except ValueError:
        raise SandboxRefused(response.status_code, "what answers here is no sandbox") from None
    return body if isinstance(body, dict) else {}


def _read_error(response: requests.Response) -> str:
    try:
        return str(response.json()["error"])
    except (ValueError, KeyError, TypeError):
        return response.reason
