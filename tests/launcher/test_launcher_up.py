"""What one running `./neko up` shows, keeps and refuses."""

import http.client
import os
import re
import signal
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from running_neko import RunningNeko, await_that, neko_environ, run_neko

from nekonymous_site.embedded.process_identity import ProcessIdentity

pytestmark = pytest.mark.processes


def _get(url: str, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=5)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_the_status_screen_says_what_runs_and_where_and_what_to_try(shared_up: RunningNeko) -> None:
    text = shared_up.text()
    for name in ("postgres", "valkey", "sandbox", "worker", "beat", "sweeper", "web"):
        assert re.search(rf"^  {name} +pid \d+$", text, re.MULTILINE), text
    assert re.search(r"is ready after \d+\.\d s", text)
    assert f"http://127.0.0.1:{shared_up.environ['NEKO_SANDBOX_PORT']}/" in text
    assert str(shared_up.data) in text
    assert re.search(r"^  version +\S+$", text, re.MULTILINE)
    steps = text.partition("Try next")[2].splitlines()[1:4]
    assert [line[4:6] for line in steps] == ["1.", "2.", "3."]
    for step, words in zip(steps, ("/start", "open it as Adam", "answer"), strict=True):
        assert words in step


def test_one_message_has_walked_through_it(shared_up: RunningNeko) -> None:
    assert re.search(r"^    Delivered in \d", shared_up.text(), re.MULTILINE), shared_up.text()


def test_the_web_process_is_ready(shared_up: RunningNeko) -> None:
    assert _get(shared_up.url, "/ready")[0] == 200


def test_progress_is_told_in_order(shared_up: RunningNeko) -> None:
    steps = (
        "starting Postgres",
        "starting Valkey",
        "running migrate",
        "starting the web process",
        "is ready",
    )
    positions = [shared_up.text().find(step) for step in steps]
    assert positions == sorted(positions)
    assert positions[0] >= 0


def test_a_bad_locale_and_a_link_from_elsewhere_did_no_harm(shared_up: RunningNeko) -> None:
    assert "locale" not in shared_up.text()
    assert not (shared_up.output.parent / ".neko").exists()


def test_a_second_up_says_who_holds_the_data_and_leaves(shared_up: RunningNeko) -> None:
    second = run_neko("up", environ=shared_up.environ)
    assert second.returncode == 1
    holder = shared_up.runtime().launcher.pid
    assert len(second.stderr.splitlines()) == 1
    assert f"already running here: pid {holder} since 20" in second.stderr
    assert shared_up.url in second.stderr


@pytest.mark.parametrize("setting", ["NEKO_PORT", "NEKO_SANDBOX_PORT"])
def test_a_taken_port_is_named_with_its_holder(shared_up: RunningNeko, tmp_path: Path, setting: str) -> None:
    taken = shared_up.environ[setting]
    refused = run_neko("up", environ=neko_environ(tmp_path / "data", **{setting: taken}))
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert re.match(rf"neko: port {taken} on 127\.0\.0\.1 is taken by python.* \(pid \d+\)", refused.stderr)
    assert f"set {setting} to another port" in refused.stderr


def test_everything_in_the_data_folder_is_private(shared_up: RunningNeko) -> None:
    assert stat.S_IMODE(shared_up.data.stat().st_mode) == 0o700
    for name in ("keys.env", "runtime.json", "lock"):
        assert stat.S_IMODE((shared_up.data / name).stat().st_mode) == 0o600, name
    sockets = _sockets(shared_up)
    assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    for socket_file in sockets.glob("*sock*"):
        assert stat.S_IMODE(socket_file.stat().st_mode) & 0o077 == 0, socket_file


def test_the_servers_listen_on_no_port(shared_up: RunningNeko) -> None:
    servers = {shared_up.runtime().processes[name].pid for name in ("postgres", "valkey")}
    listening = {row.split()[9] for row in Path("/proc/net/tcp").read_text().splitlines()[1:]}
    for pid in servers:
        entries = Path(f"/proc/{pid}/fd").iterdir()
        opened = {str(entry.readlink()) for entry in entries}
        assert not opened & {f"socket:[{inode}]" for inode in listening}


def test_a_command_in_another_shell_meets_what_runs(shared_up: RunningNeko, tmp_path: Path) -> None:
    other_shell = neko_environ(shared_up.data)
    del other_shell["NEKO_PORT"], other_shell["NEKO_SANDBOX_PORT"]
    shown = run_neko("showmigrations", "outbox", environ=other_shell, folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "[X] 0001" in shown.stdout
    assert "[ ]" not in shown.stdout


def test_values_are_searched_in_what_runs_and_not_in_servers_of_the_commands_own(
    shared_up: RunningNeko, tmp_path: Path
) -> None:
    slug = re.search(r"https://t\.me/\w+\?start=(\S+)", shared_up.text())
    assert slug
    searched = run_neko(
        *("canaries", "search"),
        environ=shared_up.environ,
        folder=tmp_path,
        given=f"{slug[1]}\nnobody-wrote-this\n",
    )
    assert searched.returncode == 1, searched.stderr
    found = [line for line in searched.stdout.splitlines() if line.startswith("FOUND")]
    assert "FOUND: line 1 in tables: accounts.public_link (now)" in found
    assert not any("line 2" in line for line in found)
    assert slug[1] not in searched.stdout + searched.stderr
    for place in ("tables", "Valkey keys", "logs", "process arguments"):
        assert re.search(rf"^{place} +[1-9]", searched.stdout, re.MULTILINE), searched.stdout
    assert "Private Postgres" not in searched.stdout


@pytest.mark.parametrize("name", ["worker", "web", "valkey", "postgres"])
def test_what_dies_is_started_again(shared_up: RunningNeko, name: str) -> None:
    killed = shared_up.runtime().processes[name]
    os.kill(killed.pid, signal.SIGKILL)
    await_that(lambda: _process(shared_up, name) not in (None, killed), seconds=30, what=f"another {name}")
    await_that(lambda: _get_status(shared_up, "/ready") == 200, seconds=30, what="ready again")
    assert re.search(rf"{name} ended \(signal 9\); starting it again in \d+ s", shared_up.text())


def test_the_sandboxs_page_answers_and_its_guide(shared_up: RunningNeko) -> None:
    sandbox = f"http://127.0.0.1:{shared_up.environ['NEKO_SANDBOX_PORT']}"
    assert b"<!doctype html>" in _get(sandbox, "/")[1]
    assert b"curl" in _get(sandbox, "/guide")[1]


def test_up_takes_no_arguments() -> None:
    refused = run_neko("up", "now", environ=neko_environ(Path("/nonexistent")))
    assert refused.returncode == 2
    assert "up takes no arguments" in refused.stderr


def _process(running: RunningNeko, name: str) -> ProcessIdentity | None:
    return running.runtime().processes.get(name)


def _get_status(running: RunningNeko, path: str) -> int | None:
    try:
        return _get(running.url, path)[0]
    except (OSError, http.client.HTTPException):
        return None


def _sockets(running: RunningNeko) -> Path:
    found = re.search(r"^  sockets +(\S+)$", running.text(), re.MULTILINE)
    assert found
    return Path(found[1])
