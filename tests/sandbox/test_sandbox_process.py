"""Starting, stopping and starting again."""

import json
import socket
import stat
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from tests.sandbox.sandbox_process import (
    REPOSITORY,
    START_SECONDS,
    RunningSandbox,
    await_that,
    sandbox_command,
    sandbox_environment,
)

pytestmark = pytest.mark.processes


def _run_until_it_ends(command: list[str], **environment: str) -> tuple[int, str]:
    ended = subprocess.run(
        command,
        cwd=REPOSITORY,
        env=sandbox_environment(**environment),
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )
    return ended.returncode, ended.stderr


def test_ids_chats_and_pending_updates_survive_a_restart(own_state: Path) -> None:
    before = RunningSandbox(own_state)
    sara = before.people.person("سارا", username="sara_example")
    written = sara.says("/start")
    before.call("sendMessage", chat_id=sara.id, text="hello", reply_markup={"keyboard": [["inbox"]]})
    tap = sara.taps_data(2, "r:1")
    seen = sara.sees()
    before.call("setMyCommands", commands=[{"command": "inbox", "description": "x"}])
    assert before.stop() == 0
    after = RunningSandbox(own_state)
    try:
        again = after.people.people()[0]
        assert (again.id, again.first_name) == (sara.id, "سارا")
        assert again.sees() == seen
        pending = [update["update_id"] for update in after.call("getUpdates")]
        assert pending == [written.update_id, tap.update_id]
        assert after.call("getMyCommands") == [{"command": "inbox", "description": "x"}]
        assert again.says("next").message_id == 3
        assert [update["update_id"] for update in after.call("getUpdates")][-1] == pending[-1] + 1
        after.call("answerCallbackQuery", callback_query_id=tap.callback_query_id, text="late")
        assert again.toasts()[0].text == "late"
    finally:
        after.stop()


def test_files_albums_and_keyboards_survive_a_restart(own_state: Path) -> None:
    before = RunningSandbox(own_state)
    sara = before.people.person("سارا")
    sara.sends_album([("photo", "one"), ("video", "two")], caption_above=True)
    before.call("sendMessage", chat_id=sara.id, text="hello", reply_markup={"keyboard": [["inbox"]]})
    seen = sara.sees()
    before.stop()
    after = RunningSandbox(own_state)
    try:
        again = after.people.people()[0]
        assert again.sees() == seen
        assert again.keyboard() == ("inbox",)
        sent = after.call("sendVideo", chat_id=sara.id, video=seen[1].file_id)
        assert sent["video"] == seen[1].raw["video"]
        refused = after.refused("sendVideo", chat_id=sara.id, video=seen[0].file_id)
        assert refused == (400, "Bad Request: can't use file of type Photo as Video")
    finally:
        after.stop()


def test_a_state_from_before_there_were_files_is_read(own_state: Path) -> None:
    before = RunningSandbox(own_state)
    before.people.person().says("/start")
    before.stop()
    state = json.loads(own_state.read_text())
    del state["files"], state["conversations"][0]["shown_keyboard"]
    own_state.write_text(json.dumps(state))
    after = RunningSandbox(own_state)
    assert [one.text for one in after.people.people()[0].sees()] == ["/start"]
    after.stop()


def test_a_webhook_survives_a_restart(own_state: Path) -> None:
    before = RunningSandbox(own_state)
    before.call("setWebhook", url="http://127.0.0.1:9/hook", allowed_updates=["message"])
    info = before.call("getWebhookInfo")
    before.stop()
    after = RunningSandbox(own_state)
    assert after.call("getWebhookInfo") == info
    after.stop()


def test_after_a_kill_no_id_comes_again_for_something_else(own_state: Path) -> None:
    before = RunningSandbox(own_state)
    sara = before.people.person()
    await_that(lambda: own_state.exists() and str(sara.id) in own_state.read_text(), what="a saved state")
    last = sara.says("maybe lost").update_id
    before.kill()
    after = RunningSandbox(own_state)
    try:
        sent = after.people.people()[0].says("new")
        assert last is not None
        assert sent.update_id is not None
        assert sent.update_id > last
        assert sent.message_id is not None
        assert sent.message_id > 1
    finally:
        after.stop()


def test_a_kill_right_after_a_clean_start_counts_as_a_kill(own_state: Path) -> None:
    before = RunningSandbox(own_state)
    before.people.person()
    before.stop()
    between = RunningSandbox(own_state)
    lost = between.people.people()[0].says("lost").update_id
    between.kill()
    after = RunningSandbox(own_state)
    again = after.people.people()[0].says("new").update_id
    after.stop()
    assert again is not None
    assert lost is not None
    assert again > lost


def test_an_unwritable_place_for_the_state_is_named_at_once(tmp_path: Path) -> None:
    state = tmp_path / "missing" / "state.json"
    code, message = _run_until_it_ends(sandbox_command(state))
    assert code == 2
    assert str(state) in message


def test_the_state_is_for_its_owner_only(own_state: Path) -> None:
    running = RunningSandbox(own_state)
    running.stop()
    assert stat.S_IMODE(own_state.stat().st_mode) == 0o600


def test_another_bot_starts_without_the_chats_and_keeps_the_file(own_state: Path) -> None:
    before = RunningSandbox(own_state)
    before.people.person()
    before.stop()
    after = RunningSandbox(own_state, token="7000000002:other")
    assert after.people.people() == ()
    after.stop()
    assert own_state.with_name("state.bot-7000000001.json").exists()


def test_a_tap_cannot_be_answered_late(own_state: Path) -> None:
    running = RunningSandbox(own_state, "--callback-lifetime-seconds=0")
    sara = running.people.person()
    sara.says("/start")
    running.call("sendMessage", chat_id=sara.id, text="x")
    query = sara.taps_data(2, "x").callback_query_id
    code, description = running.refused("answerCallbackQuery", callback_query_id=query)
    running.stop()
    assert code == 400
    assert description.startswith("Bad Request: query is too old")


def test_it_stops_at_once_though_somebody_waits(own_state: Path) -> None:
    running = RunningSandbox(own_state)
    sara = running.people.person()
    sara.says("/start")
    running.call("getUpdates", offset=-1)
    running.people.inject_fault("hang_then_delivered", method="getMe", hang_seconds=60)
    with ThreadPoolExecutor() as pool:
        hanging = pool.submit(running.post, "getMe")
        await_that(lambda: bool(running.people.calls("getMe")), what="the call hangs")
        started = time.monotonic()
        assert running.stop() == 0
        assert time.monotonic() - started < 2
        with pytest.raises(requests.ConnectionError):
            hanging.result(timeout=5)


def test_it_refuses_production(own_state: Path) -> None:
    code, message = _run_until_it_ends(sandbox_command(own_state), NEKO_ENV="production")
    assert (code, message) == (2, "sandbox: there is no sandbox in production (NEKO_ENV)\n")


def test_it_refuses_a_token_without_a_bot_id(own_state: Path) -> None:
    code, message = _run_until_it_ends(sandbox_command(own_state, token="secret"))
    assert (code, message) == (2, "sandbox: --token must look like <bot id>:<secret>\n")


def test_a_taken_port_gets_one_clear_line(own_state: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, message = _run_until_it_ends(sandbox_command(own_state, port=port))
    assert code == 2
    assert message.count("\n") == 1
    assert f"127.0.0.1:{port}" in message
    assert "in use" in message


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 99}'])
def test_a_damaged_state_is_named_and_left_alone(own_state: Path, content: str) -> None:
    own_state.write_text(content)
    code, message = _run_until_it_ends(sandbox_command(own_state))
    assert code == 2
    assert message == f"sandbox: {own_state} cannot be read; rename or delete it to start anew\n"
    assert own_state.read_text() == content


def test_it_listens_on_loopback_only(own_state: Path) -> None:
    running = RunningSandbox(own_state)
    port = int(running.base_url.rsplit(":", 1)[1])
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    running.stop()
    assert {address for address in listening if address.endswith(f":{port:04X}")} == {f"0100007F:{port:04X}"}
