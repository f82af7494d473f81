"""Data whose keys are gone: said at once and clearly, and nothing is made in their place."""

from collections.abc import Callable
from pathlib import Path

import pytest
from running_neko import READY_LINE, WEB_READY, RunningNeko, neko_environ

pytestmark = pytest.mark.processes

Start = Callable[..., RunningNeko]


def test_data_without_its_keys_is_not_started(start_neko: Start, tmp_path: Path) -> None:
    data = tmp_path / "data"
    running = start_neko("up", environ=neko_environ(data))
    running.await_text(READY_LINE)
    running.stop()
    keys_file = data / "keys.env"
    keys = keys_file.read_text()

    kept = [line for line in keys.splitlines() if "NEKO_HMAC_PEPPER" not in line]
    keys_file.write_text("\n".join(kept) + "\n")
    without_pepper = start_neko("up", environ=neko_environ(data))
    without_pepper.await_text("lacks NEKO_HMAC_PEPPER: put the former file back")
    assert without_pepper.ended() == 1
    assert keys_file.read_text() == "\n".join(kept) + "\n", "nothing was made in its place"

    pepper = next(line for line in keys.splitlines() if line.startswith("NEKO_HMAC_PEPPER="))
    other = pepper[:17] + pepper[17:37].swapcase() + pepper[37:]
    keys_file.write_text(keys.replace(pepper, other))
    with_another = start_neko("up", environ=neko_environ(data))
    with_another.await_text("neko.E014")
    assert with_another.ended() == 1

    keys_file.write_text(keys)
    again = start_neko("up", environ=neko_environ(data))
    again.await_text(WEB_READY)
    assert again.stop() == 0
