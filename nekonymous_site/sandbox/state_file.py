"""The stand-in's memory across restarts: one JSON file, replaced as a whole."""

import asyncio
import json
import os
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

from nekonymous_site.sandbox.file_store import StoredFile
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.pending_updates import PendingUpdate
from nekonymous_site.sandbox.send_rates import RateFigures
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.webhook import Webhook
from nekonymous_site.sandbox.world import ChatMessage, Conversation, Person, Tap

_FORMAT = 1
_SHORTEST_PAUSE_SECONDS = 0.5
# A large file is written less often: at most about a twentieth of the time goes into it.
_PAUSE_PER_WRITE_SECOND = 20
# After a kill the file may lag behind. Ids that were given out since must not come again for something else.
_UPDATE_IDS_SKIPPED = 1_000
_MESSAGE_IDS_SKIPPED = 100


class StateUnreadable(Exception):
    """The state file is damaged or of another version; rename or delete it to start anew."""


class StateFile:
    """Reads and writes the state of one simulation. One process at a time may use a file."""

    def __init__(self, path: Path, simulation: Simulation) -> None:
        self._path = path
        self._simulation = simulation

    def load(self) -> None:
        """Restore the last state, if there is one of this bot. Raises StateUnreadable."""
        if not self._path.exists():
            return
        try:
            state = json.loads(self._path.read_text(encoding="utf-8"))
            if state["format"] != _FORMAT:
                raise StateUnreadable
            if state["bot_id"] == self._simulation.bot.id:
                _restore(self._simulation, state)
            else:
                # Chats belong to one bot: another bot starts without any, and the file is kept beside.
                self._path.replace(self._path.with_suffix(f".bot-{state['bot_id']}.json"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise StateUnreadable from None

    async def keep_saved(self) -> None:
        """Write after changes until cancelled; changes that come close together are written once."""
        saved_beats = self._simulation.changed.beats
        while True:
            await self._simulation.changed.wait(seconds=60)
            pause_seconds = _SHORTEST_PAUSE_SECONDS
            while self._simulation.changed.beats != saved_beats:
                await asyncio.sleep(pause_seconds)
                saved_beats = self._simulation.changed.beats
                pause_seconds = max(_SHORTEST_PAUSE_SECONDS, await self._save() * _PAUSE_PER_WRITE_SECOND)

    def save_at_start(self) -> None:
        """Write what was loaded, marked as not final: from now on ids are given out. Raises OSError."""
        _replace_file(self._path, _dump(self._simulation, is_final=False))

    def save_at_exit(self) -> None:
        """Write the last state; raises OSError."""
        _replace_file(self._path, _dump(self._simulation, is_final=True))

    async def _save(self) -> float:
        """Write the state as it is now; returns the seconds it took. A full disk is reported, not fatal."""
        started = time.monotonic()
        text = _dump(self._simulation, is_final=False)
        try:
            await asyncio.to_thread(_replace_file, self._path, text)
        except OSError as error:
            sys.stderr.write(f"sandbox: its state cannot be written: {error.strerror}\n")
        return time.monotonic() - started


def _dump(simulation: Simulation, *, is_final: bool) -> str:
    state = {
        "format": _FORMAT,
        "is_final": is_final,
        "bot_id": simulation.bot.id,
        "people": [_shallow(person) for person in simulation.world.people.values()],
        "conversations": [_dump_conversation(one) for one in simulation.world.conversations.values()],
        "commands": simulation.world.commands,
        "profile": simulation.world.profile.values,
        "files": {file_id: _shallow(file) for file_id, file in simulation.world.files.files.items()},
        "webhook": _shallow(simulation.webhook),
        "rates": {"enforced": simulation.rates.enforced, "figures": _shallow(simulation.rates.figures)},
        "next_update_id": simulation.updates.next_update_id,
        "allowed_updates": simulation.updates.allowed_updates,
        "pending_updates": [_shallow(update) for update in simulation.updates.in_order()],
    }
    return json.dumps(state)


def _dump_conversation(conversation: Conversation) -> JsonObject:
    return _shallow(conversation) | {
        "messages": [_shallow(message) for message in conversation.messages.values()],
        "taps": [_shallow(tap) for tap in conversation.taps],
    }


def _restore(simulation: Simulation, state: JsonObject) -> None:
    world, updates = simulation.world, simulation.updates
    world.people = {person["id"]: Person(**person) for person in state["people"]}
    for stored in state["conversations"]:
        conversation = _restore_conversation(stored)
        world.conversations[conversation.chat["id"]] = conversation
    world.commands = state["commands"]
    world.profile.values = state.get("profile", {})
    # A state from before there were files, rates or profiles is read as well.
    world.files.files = {name: StoredFile(**file) for name, file in state.get("files", {}).items()}
    simulation.webhook = Webhook(**state["webhook"])
    if rates := state.get("rates"):
        simulation.rates.switch(enforced=rates["enforced"], figures=RateFigures(**rates["figures"]))
    updates.next_update_id = state["next_update_id"]
    updates.allowed_updates = state["allowed_updates"]
    updates.restore([PendingUpdate(**update) for update in state["pending_updates"]])
    if not state["is_final"]:
        updates.next_update_id += _UPDATE_IDS_SKIPPED
        for conversation in world.conversations.values():
            conversation.next_message_id += _MESSAGE_IDS_SKIPPED


def _restore_conversation(stored: JsonObject) -> Conversation:
    messages = [ChatMessage(**message) for message in stored["messages"]]
    return Conversation(
        **{
            **stored,
            "messages": {message.message_id: message for message in messages},
            "taps": [Tap(**tap) for tap in stored["taps"]],
        }
    )


def _shallow(record: Any) -> JsonObject:  # noqa: ANN401 - any of the dataclasses above
    """A dataclass as a dictionary, without copying what it holds."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _replace_file(path: Path, text: str) -> None:
    """Write beside and rename, so that the file is always whole. Only its owner may read it."""
    written = path.with_name(f"{path.name}.new")
    descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    written.replace(path)
