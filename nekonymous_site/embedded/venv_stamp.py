"""What .venv was made of, written down when it was finished and compared before it is used."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from nekonymous_site.embedded.private_files import write_private_file

CHECKOUT: Final = Path(__file__).resolve().parent.parent.parent
VENV: Final = CHECKOUT / ".venv"
PYTHON: Final = VENV / "bin" / "python"
STAMP: Final = VENV / "neko-stamp.json"

RUNTIME_REQUIREMENTS = "requirements.txt"
TEST_REQUIREMENTS = "requirements-dev.txt"
ANSWER_SECONDS = 20

# What decides which wheels fit: the interpreter's kind and series, and the processor.
_SERIES_PROGRAM = "import os, sys; print(sys.implementation.cache_tag, os.uname().machine)"


def is_complete(requirements: str) -> bool:
    """Whether .venv works for this user and holds exactly this state of the requirements file."""
    return is_sound() and _read_stamp().get(requirements) == _checksum(requirements)


def is_sound() -> bool:
    """Whether an installation was finished and its interpreter, unchanged since, runs for this user."""
    series = _read_stamp().get("series")
    return series is not None and series == _series()


def write_stamp(requirements: str) -> None:
    """Say that .venv now holds the requirements. The test requirements include the others."""
    installed = {requirements, RUNTIME_REQUIREMENTS}
    stamp = {"series": _series()} | {name: _checksum(name) for name in installed}
    write_private_file(STAMP, json.dumps(stamp))
    STAMP.chmod(0o644)  # other users of the checkout read it too


def runs_inside() -> bool:
    """Whether the Python that runs this is the environment's own."""
    return Path(sys.prefix).resolve() == VENV.resolve()


def _series() -> str | None:
    if runs_inside():
        return f"{sys.implementation.cache_tag} {os.uname().machine}"
    try:
        answer = subprocess.run(
            [str(PYTHON), "-I", "-S", "-c", _SERIES_PROGRAM],
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None


def _checksum(requirements: str) -> str:
    return hashlib.sha256((CHECKOUT / requirements).read_bytes()).hexdigest()


def _read_stamp() -> Mapping[str, object]:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}
