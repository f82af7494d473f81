"""Values that lie sealed as JSON, read so that another version's writing is an error like any other."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from nekonymous_site.crypto.errors import MalformedCapability, RecordOfAnotherVersion

T = TypeVar("T")


def read_sealed_value(plaintext: bytes, *, read: Callable[[Any], T]) -> T:
    """Parse an opened record and let `read` make a value of it.

    Raises RecordOfAnotherVersion, an EnvelopeUnreadable, where a field is missing or of another form.
    """
    try:
        return read(json.loads(plaintext))
    except (KeyError, TypeError, ValueError, MalformedCapability):
        pass
    raise RecordOfAnotherVersion
