"""From untrusted bytes to an update, or to the reason why there is none."""

import json
from contextlib import suppress
from typing import Final

from pydantic import ValidationError

from nekonymous_site.bot.update_models import Update

DEEPEST_LEVEL: Final = 64


class UnusableUpdate(Exception):
    """These bytes are no update that anybody could act on; Telegram must not send them again."""


def read_update(raw: bytes) -> Update:
    """Parse and clean one update. Raises UnusableUpdate with a reason that quotes nothing."""
    value = _parse(raw)
    if not isinstance(value, dict):
        raise UnusableUpdate("not_an_object")
    if _is_deeper(value, levels=DEEPEST_LEVEL):
        raise UnusableUpdate("too_deep")
    # Cleaned before it is read: a name may become another one when a NUL goes.
    cleaned = {str(_clean(name)): _clean(item) for name, item in value.items()}
    if not _is_update_id(cleaned.get("update_id")):
        raise UnusableUpdate("no_update_id")
    with suppress(ValidationError):
        return Update.model_validate(cleaned)
    raise UnusableUpdate("malformed")


def _parse(raw: bytes) -> object:
    # Raised out of the handlers: the decoder's errors carry the whole body with them.
    reason = "not_json"
    try:
        value: object = json.loads(raw)
    except RecursionError:
        reason = "too_deep"
    except ValueError:
        pass
    else:
        return value
    raise UnusableUpdate(reason)


def _is_update_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _is_deeper(value: object, *, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        layer = [child for parent in layer for child in _children(parent)]
        if not layer:
            return False
    return True


def _children(value: object) -> list[object]:
    """List the objects and arrays directly inside; what is neither makes nothing deeper."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [child for child in inside if isinstance(child, dict | list)]


def _clean(value: object) -> object:
    """Remove what Postgres and UTF-8 cannot hold: NUL goes, lone surrogates become U+FFFD."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list) else value
