"""What the launcher's tests share."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running_neko import READY_LINE, RunningNeko, neko_environ


@pytest.fixture(scope="module")
def shared_up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningNeko]:
    """One `up` for all tests of a module that leave it running.

    It is started the hard way: through a link, from another folder, under a locale that does not exist.
    """
    folder = tmp_path_factory.mktemp("up")
    link = folder / "link to neko"
    link.symlink_to(Path(__file__).resolve().parents[2] / "neko")
    environ = neko_environ(folder / "data", LC_ALL="xx_YY.UTF-8", LANG="xx_YY")
    running = RunningNeko("up", environ=environ, output=folder / "up.log", neko=link)
    try:
        running.await_text(READY_LINE)
        yield running
    finally:
        running.make_sure_it_is_gone()


@pytest.fixture
def start_neko(tmp_path: Path) -> Iterator[Callable[..., RunningNeko]]:
    """Starts ./neko as often as a test wants to, and leaves none behind."""
    started: list[RunningNeko] = []

    def start(*arguments: str, **options: object) -> RunningNeko:
        options.setdefault("output", tmp_path / f"neko-{len(started)}.log")
        running = RunningNeko(*arguments, **options)  # type: ignore[arg-type]
        started.append(running)
        return running

    yield start
    for running in started:
        running.make_sure_it_is_gone()


@pytest.fixture
def walkable_folder() -> Iterator[Path]:
    """A folder that every user can walk to; pytest's own is closed to others."""
    with tempfile.TemporaryDirectory(prefix="neko-walkable-") as name:
        Path(name).chmod(0o755)
        yield Path(name)
