"""What the running product imports is installed by requirements.txt alone, not by the test tools."""

import re
import subprocess
import sys

from nekonymous_site.environment import CHECKOUT

ENTRY_POINTS = (
    "nekonymous_site.wsgi",
    "nekonymous_site.celery",
    "nekonymous_site.tasks",
    "nekonymous_site.sandbox.server",
    "nekonymous_site.management.commands.sweep",
    "nekonymous_site.management.commands.poll",
    "celery.bin.celery",
    "celery.beat",
    "celery.concurrency.thread",
    "celery.worker",
    "kombu.transport.redis",
    "granian.server",
)
# structlog, jdatetime and others make use of these only where they happen to be installed.
ONLY_WHERE_PRESENT = {"greenlet", "rich", "pygments", "setuptools"}
LIST_DISTRIBUTIONS = f"""
import importlib, sys
from importlib.metadata import packages_distributions
for name in {ENTRY_POINTS!r}:
    importlib.import_module(name)
loaded = {{name.partition(".")[0] for name in sys.modules}}
for package, distributions in packages_distributions().items():
    if package in loaded:
        print(*distributions, sep="\\n")
"""


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_imported_distribution_is_a_runtime_requirement() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LIST_DISTRIBUTIONS],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    imported = {_canonical(name) for name in run.stdout.split()}
    lines = (CHECKOUT / "requirements.txt").read_text().splitlines()
    pinned = {_canonical(line.partition("==")[0]) for line in lines if "==" in line}
    assert {"kombu", "granian", "django"} <= imported, "the list is not that of the running product"
    assert imported - pinned - ONLY_WHERE_PRESENT == set()
