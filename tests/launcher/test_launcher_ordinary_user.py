"""A clone of an ordinary user, set up from nothing."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from running_neko import (
    NOBODY,
    READY_LINE,
    RunningNeko,
    assert_all_gone,
    copy_checkout,
    descendants,
    needs_root,
    neko_environ,
)

pytestmark = [pytest.mark.processes, pytest.mark.timeout(400)]

INSTALL_SECONDS = 300.0
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


@needs_root
def test_an_ordinary_user_sets_up_and_runs_everything(
    start_neko: Callable[..., RunningNeko], walkable_folder: Path
) -> None:
    if shutil.which("python3", path=SYSTEM_PATH) is None:
        pytest.skip("no Python that an ordinary user can run")
    checkout = copy_checkout(walkable_folder / "a clone")
    home = walkable_folder / "home"
    home.mkdir()
    _give_to_nobody(walkable_folder)
    environ = neko_environ(checkout / ".neko", HOME=str(home))
    del environ["NEKO_DATA_DIR"]
    running = start_neko("up", environ=environ, neko=checkout / "neko", user=NOBODY)
    running.await_text("the environment is ready", seconds=INSTALL_SECONDS)
    running.await_text(READY_LINE)
    below = descendants(running.child.pid)
    assert {Path(f"/proc/{one.pid}").stat().st_uid for one in below} == {NOBODY.uid}
    assert (checkout / ".neko").stat().st_mode & 0o777 == 0o700
    assert "Delivered in" in running.text()
    assert running.stop() == 0
    assert_all_gone(below, seconds=0.5)


def _give_to_nobody(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY.uid, NOBODY.gid, follow_symlinks=False)
