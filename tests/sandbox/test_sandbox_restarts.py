"""Whatever people and bot have made is there again after a stop and after a kill."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nekonymous_site.sandbox.people import Person, SandboxRefused
from tests.sandbox.sandbox_process import RunningSandbox, await_that

pytestmark = pytest.mark.processes

LAST_WORDS = "the last words before the end"
FIGURES: dict[str, Any] = {"private_per_second": 0.01, "private_burst": 1.0}


def _stop(sandbox: RunningSandbox, _state: Path) -> None:
    assert sandbox.stop() == 0


def _kill_once_saved(sandbox: RunningSandbox, state: Path) -> None:
    await_that(lambda: state.exists() and LAST_WORDS in state.read_text(encoding="utf-8"), what="it is saved")
    sandbox.kill()


@dataclass(frozen=True, slots=True, kw_only=True)
class Town:
    """People in different states, and what a running sandbox says of all of them."""

    sara_id: int
    blocker_id: int
    leaver_id: int
    group_id: int
    query_id: str
    kept: Any
    highest_update_id: int


def _people(sandbox: RunningSandbox) -> dict[int, Person]:
    return {person.id: person for person in sandbox.people.people()}


def _look(sandbox: RunningSandbox, group_id: int) -> Any:  # noqa: ANN401 - JSON
    control = sandbox.people.control
    people = control.get("/sandbox/people")["people"]
    chats = [control.get(f"/sandbox/people/{person['id']}/chat") for person in people]
    return {
        "people": people,
        "chats": chats,
        "group": control.get(f"/sandbox/groups/{group_id}/chat"),
        "updates": sandbox.call("getUpdates"),
        "webhook": sandbox.call("getWebhookInfo"),
        "commands": sandbox.call("getMyCommands", language_code="fa"),
        "name": sandbox.call("getMe")["first_name"],
        "rates": sandbox.people.rates(),
    }


def _build_town(sandbox: RunningSandbox) -> Town:
    sandbox.call("getUpdates", allowed_updates=["message", "edited_message", "message_reaction"])
    sara = sandbox.people.person("سارا", "fa", username="sara_example")
    sara.says("/start")
    sara.sends_album([("photo", "one"), ("video", "two")])
    bots = sandbox.call("sendMessage", chat_id=sara.id, text="mine", protect_content=True)["message_id"]
    sandbox.call(
        "setMessageReaction", chat_id=sara.id, message_id=1, reaction=[{"type": "emoji", "emoji": "🕊"}]
    )
    sara.reacts(bots, "👍")
    sara.edits(1, "edited")
    sara.deletes(3)
    query_id = sara.taps_data(bots, "tap").callback_query_id
    sara.changes(language_code="en", first_name="Sarah")
    blocker, leaver = sandbox.people.person("Blocker"), sandbox.people.person("Leaver")
    for person in (blocker, leaver):
        person.says("/start")
    blocker.blocks_bot()
    leaver.leaves()
    group = sandbox.people.group("Friends")
    group.removes_bot(sara)
    sandbox.call("setMyCommands", commands=[{"command": "x", "description": "x"}], language_code="fa")
    sandbox.call("setMyName", name="Whisper")
    sandbox.people.enforce_rates(**FIGURES)
    last = sara.says(LAST_WORDS).update_id
    assert query_id is not None
    assert last is not None
    return Town(
        sara_id=sara.id,
        blocker_id=blocker.id,
        leaver_id=leaver.id,
        group_id=group.id,
        query_id=query_id,
        kept=_look(sandbox, group.id),
        highest_update_id=last,
    )


@pytest.fixture(params=[_stop, _kill_once_saved], ids=["stopped", "killed"])
def survived(request: pytest.FixtureRequest, own_state: Path) -> Iterator[tuple[Town, RunningSandbox]]:
    end: Callable[[RunningSandbox, Path], None] = request.param
    before = RunningSandbox(own_state)
    town = _build_town(before)
    end(before, own_state)
    after = RunningSandbox(own_state)
    yield town, after
    after.stop()


def test_everything_is_as_it_was(survived: tuple[Town, RunningSandbox]) -> None:
    town, sandbox = survived
    assert _look(sandbox, town.group_id) == town.kept
    assert town.kept["rates"]["private_per_second"] == 0.01
    assert town.kept["name"] == "Whisper"
    states = {
        one["id"]: (one["has_blocked_bot"], one["has_left"], one["language_code"])
        for one in town.kept["people"]
    }
    assert states == {
        town.sara_id: (False, False, "en"),
        town.blocker_id: (True, False, "fa"),
        town.leaver_id: (False, True, "fa"),
    }


def test_what_people_are_still_holds(survived: tuple[Town, RunningSandbox]) -> None:
    town, sandbox = survived
    blocked = (403, "Forbidden: bot was blocked by the user")
    assert sandbox.refused("sendMessage", chat_id=town.blocker_id, text="x") == blocked
    deactivated = (403, "Forbidden: user is deactivated")
    assert sandbox.refused("sendMessage", chat_id=town.leaver_id, text="x") == deactivated
    kicked = (403, "Forbidden: bot was kicked from the supergroup chat")
    assert sandbox.refused("sendMessage", chat_id=town.group_id, text="x") == kicked
    sandbox.call("sendMessage", chat_id=town.sara_id, text="within the burst")
    assert sandbox.refused("sendMessage", chat_id=town.sara_id, text="beyond it")[0] == 429
    with pytest.raises(SandboxRefused, match="has left"):
        _people(sandbox)[town.leaver_id].says("x")


def test_old_ids_still_work_and_new_ones_are_new(survived: tuple[Town, RunningSandbox]) -> None:
    town, sandbox = survived
    sandbox.people.enforce_rates(enforced=False)
    sara = _people(sandbox)[town.sara_id]
    photo = next(one for one in sara.sees() if one.kind == "photo")
    known = {one.message_id for one in sara.sees()}
    sent = sandbox.call("sendPhoto", chat_id=sara.id, photo=photo.file_id)
    assert sent["photo"] == photo.raw["photo"]
    assert sent["message_id"] not in known | {3}
    sandbox.call("answerCallbackQuery", callback_query_id=town.query_id, text="late")
    assert sara.toasts()[-1].text == "late"
    first, second = sara.sends_album([("photo", ""), ("photo", "")])
    groups = {one.media_group_id for one in sara.sees() if one.media_group_id}
    assert len(groups) == 2
    assert first.update_id is not None
    assert second.update_id == first.update_id + 1
    assert first.update_id > town.highest_update_id


def test_the_command_line_switches_rates_on_whatever_was_kept(own_state: Path) -> None:
    before = RunningSandbox(own_state)
    before.people.enforce_rates(enforced=False, **FIGURES)
    before.stop()
    after = RunningSandbox(own_state, "--enforce-rates")
    rates = after.people.rates()
    after.stop()
    assert (rates["enforced"], rates["private_per_second"]) == (True, 0.01)
