"""What every route answers, above all to requests that it refuses."""

from collections.abc import Iterator
from typing import Final

import requests

from nekonymous_site.canaries.installation import Installation, WalkStopped
from nekonymous_site.canaries.ledger import Sample

ANSWERS: Final = "HTTP answers"
ANSWER_SECONDS: Final = 20
SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
_WEBHOOK: Final = "/webhook/tg"
_DEEP: Final = b"[" * 5000
_TOO_LARGE: Final = b"x" * (3 * 1024 * 1024)


def read_answers(installation: Installation, *, word: str) -> Iterator[Sample]:
    """Ask every route rightly and wrongly, with a marked word in it; gives status, headers and body."""
    secret = installation.settings.webhook_secret or ""
    right = {SECRET_HEADER: secret}
    told = word.encode()
    asked: list[tuple[str, str, dict[str, str], bytes]] = [
        *(("GET", path, {}, b"") for path in ("/healthz", "/ready", "/api/status")),
        *(("HEAD", path, {}, b"") for path in ("/healthz", "/ready", "/api/status")),
        ("GET", f"/{word}?name={word}", {}, b""),
        ("GET", f"/api/status?name={word}", {"Host": word.lower()}, b""),
        ("PUT", "/healthz", {}, told),
        ("GET", _WEBHOOK, right, b""),
        ("POST", _WEBHOOK, {}, told),
        ("POST", _WEBHOOK, {SECRET_HEADER: word}, told),
        ("POST", _WEBHOOK, right, told),
        ("POST", _WEBHOOK, right, b'{"update_id": "' + told + b'"}'),
        ("POST", _WEBHOOK, right, b'{"update_id": 1, "message": {"text": "' + told + b'"}}'),
        ("POST", _WEBHOOK, right, b'{"update_id": 1, "' + told + b'": ' + _DEEP),
        ("POST", _WEBHOOK, right, _TOO_LARGE),
    ]
    for method, path, headers, body in asked:
        place = f"{method} {path.partition('?')[0]}".replace(word, "…")
        yield Sample(
            group=ANSWERS,
            place=place,
            content=_ask(installation.web_url, method=method, path=path, headers=headers, body=body),
        )


def _ask(address: str, *, method: str, path: str, headers: dict[str, str], body: bytes) -> bytes:
    """Ask once. Raises WalkStopped if nobody answers; only what is too large may be cut off unread."""
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Connection"] = "close"
        try:
            answer = session.request(
                method, f"{address}{path}", headers=headers, data=body, timeout=ANSWER_SECONDS
            )
        except requests.RequestException as error:
            if body == _TOO_LARGE:
                return b"no answer"
            reason = f"{method} got no answer ({type(error).__name__})"
            raise WalkStopped(reason) from None
    told = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
    return f"{answer.status_code}\n{told}\n".encode() + answer.content
