"""Asking the web process how it is."""

import http.client
import json
from collections.abc import Mapping
from urllib.parse import urlsplit

ANSWER_SECONDS = 5.0
LONGEST_ANSWER_BYTES = 64 * 1024


def status_of(address: str, path: str) -> int | None:
    """The HTTP status of a page; None if nobody answers."""
    answer = _get(address, path)
    return answer[0] if answer else None


def json_of(address: str, path: str) -> Mapping[str, object]:
    """The JSON object a page answers with; an empty one for everything else."""
    answer = _get(address, path)
    try:
        value = json.loads(answer[1]) if answer else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _get(address: str, path: str) -> tuple[int, bytes] | None:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read(LONGEST_ANSWER_BYTES)
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
