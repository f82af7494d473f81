"""The answer to a Bot API call before it becomes bytes."""

from dataclasses import dataclass

from nekonymous_site.sandbox.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class Reply:
    """A status and the body that goes with it."""

    status: int
    body: JsonObject
