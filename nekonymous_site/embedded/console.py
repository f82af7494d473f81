"""What the person at the terminal gets to read."""

import sys
from contextlib import suppress
from typing import TextIO

from nekonymous_site.embedded.failures import LauncherFailure


def say(line: str = "") -> None:
    """Print one line at once. A terminal that has gone away must not keep the launcher from stopping."""
    _print(line, sys.stdout)


def say_failure(failure: LauncherFailure) -> None:
    """Print the one line of a failure and, below it, what explains it."""
    _print(f"neko: {failure.line}", sys.stderr)
    for detail in failure.details:
        _print(f"    {detail}", sys.stderr)


def _print(line: str, stream: TextIO) -> None:
    # ValueError: the stream was closed, as it is by a closed terminal's descriptors.
    with suppress(OSError, ValueError):
        print(line, file=stream, flush=True)
