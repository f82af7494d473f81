"""What a method may return besides its bare result."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Described:
    """A result that the server answers together with a sentence."""

    result: object
    description: str
