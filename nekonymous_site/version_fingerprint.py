"""Which code this process runs, told without version control."""

import hashlib
import tomllib
from functools import cache
from pathlib import Path

from django.conf import settings

from nekonymous_site.environment import CHECKOUT


@cache
def version_fingerprint() -> str:
    """The released version and a short hash over the product's sources, worked out once per process."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return f"{project['version']}+{_source_hash(CHECKOUT)}"


def _source_hash(checkout: Path) -> str:
    digest = hashlib.sha256()
    for folder in sorted(settings.INSTALLED_APPS):
        for source in sorted((checkout / folder).rglob("*.py")):
            # Name and length go in too, or moving a line between two files would change nothing.
            content = source.read_bytes()
            digest.update(f"{source.relative_to(checkout).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()[:12]
