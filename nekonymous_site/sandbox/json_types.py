"""Types of JSON as it crosses the sandbox's borders."""

from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
