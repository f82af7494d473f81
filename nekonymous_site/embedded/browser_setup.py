"""The browser that tests/browser drives: found, or installed where that can be done, before pytest starts."""

import os
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from nekonymous_site.embedded.child_process import ChildPlan
from nekonymous_site.embedded.console import say
from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.one_shot import run_to_end
from nekonymous_site.embedded.stop_request import StopRequest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# Faces for emoji and for Persian; the second is there on most machines already.
PACKAGES = ("chromium", "fonts-noto-color-emoji", "fonts-dejavu-core")
HOW_TO_INSTALL = f"as root: apt-get install --no-install-recommends {' '.join(PACKAGES)}"
INSTALL_SECONDS = 300.0
ROOT = 0

_BROWSER_TESTS = Path("tests/browser")


def find_browser(environ: Mapping[str, str]) -> Path | None:
    """Where the first browser on this PATH is that the tests can drive; None if there is none."""
    search_path = environ.get("PATH", os.defpath)
    found = (shutil.which(name, path=search_path) for name in PROGRAMS)
    return next((Path(program) for program in found if program), None)


def reaches_browser_tests(pytest_arguments: Sequence[str]) -> bool:
    """Whether pytest with these arguments would come to tests/browser: by name, or because none is named."""
    named = [argument.partition("::")[0] for argument in pytest_arguments if not argument.startswith("-")]
    paths = [Path(name) for name in named if "/" in name or Path(name).exists()]
    return not paths or any(
        path.is_relative_to(_BROWSER_TESTS) or _BROWSER_TESTS.is_relative_to(path) for path in paths
    )


def ensure_browser(
    environ: Mapping[str, str], *, logs: Path, stop: StopRequest, user_id: int | None = None
) -> None:
    """Install a browser if there is none and this user can; repeatable, says one line.

    Never fails: what is missing, and what to do, is told again by the tests, which skip or, under CI, fail.
    Raises StopRequested.
    """
    if find_browser(environ) is not None:
        return
    installer = shutil.which("apt-get", path=environ.get("PATH", os.defpath))
    if installer is None or (os.geteuid() if user_id is None else user_id) != ROOT:
        say(f"== No browser for tests/browser, and it cannot be installed from here; {HOW_TO_INSTALL}")
        return
    log = logs / "browser-setup.log"
    say(f"== Installing a browser for tests/browser, once (log: {log})")
    try:
        _install(installer, environ=environ, log=log, stop=stop)
    except (LauncherFailure, OSError) as failure:
        say(f"   that failed: {failure}")


def _install(installer: str, *, environ: Mapping[str, str], log: Path, stop: StopRequest) -> None:
    """Run both steps within one bounded time."""
    deadline = time.monotonic() + INSTALL_SECONDS
    unattended = dict(environ) | {"DEBIAN_FRONTEND": "noninteractive"}
    for words in (("update",), ("install", "-y", "--no-install-recommends", *PACKAGES)):
        plan = ChildPlan(name=f"apt-get {words[0]}", argv=(installer, *words), environ=unattended)
        run_to_end(plan, log_path=log, seconds=deadline - time.monotonic(), stop=stop)
