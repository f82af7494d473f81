"""The lists of commands that the bot offers, by scope and language."""

import json
import re

from nekonymous_site.sandbox.bot_api_errors import bad_request, chat_not_found
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.methods.language_codes import read_language_code
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.simulation import Simulation

_COMMAND_NAME = re.compile(r"[a-z0-9_]{1,32}", re.ASCII)
_MAX_COMMANDS = 100
# What each kind of scope names besides its type.
_SCOPES: dict[str, tuple[str, ...]] = {
    "default": (),
    "all_private_chats": (),
    "all_group_chats": (),
    "all_chat_administrators": (),
    "chat": ("chat_id",),
    "chat_administrators": ("chat_id",),
    "chat_member": ("chat_id", "user_id"),
}


async def set_my_commands(simulation: Simulation, parameters: Parameters) -> bool:
    """Keep the list of commands for a scope and language. Raises BotApiError for a malformed one."""
    key = _read_key(simulation, parameters)
    commands = parameters.json_list("commands")
    if commands is None:
        raise bad_request("can't parse list of commands")
    if len(commands) > _MAX_COMMANDS:
        raise bad_request("too many commands")
    simulation.world.commands[key] = [_check_command(command) for command in commands]
    simulation.changed.beat()
    return True


async def delete_my_commands(simulation: Simulation, parameters: Parameters) -> bool:
    """Forget the list for a scope and language; repeatable. Raises BotApiError for a malformed scope."""
    simulation.world.commands.pop(_read_key(simulation, parameters), None)
    simulation.changed.beat()
    return True


async def get_my_commands(simulation: Simulation, parameters: Parameters) -> list[JsonObject]:
    """Answer the commands kept for exactly this scope and language. Raises BotApiError."""
    return simulation.world.commands.get(_read_key(simulation, parameters), [])


def _read_key(simulation: Simulation, parameters: Parameters) -> str:
    given = parameters.json_object("scope") or {"type": "default"}
    kind = str(given.get("type"))
    if kind not in _SCOPES:
        raise bad_request("can't parse BotCommandScope: Unsupported type specified")
    scope: JsonObject = {"type": kind}
    for name in _SCOPES[kind]:
        value = Parameters(given).integer(name)
        if value is None:
            reason = f"can't parse BotCommandScope: Can't find field \"{name}\""
            raise bad_request(reason)
        scope[name] = value
    _require_chat(simulation, scope)
    return json.dumps([scope, read_language_code(parameters)], sort_keys=True)


def _require_chat(simulation: Simulation, scope: JsonObject) -> None:
    if "chat_id" not in scope:
        return
    conversation = simulation.world.conversations.get(scope["chat_id"])
    if conversation is None or not conversation.is_known_to_bot:
        raise chat_not_found()


def _check_command(command: object) -> JsonObject:
    if not isinstance(command, dict):
        raise bad_request("expected an object as a bot command")
    name, description = command.get("command"), command.get("description")
    if not isinstance(name, str) or not _COMMAND_NAME.fullmatch(name.removeprefix("/")):
        raise bad_request("BOT_COMMAND_INVALID")
    if not isinstance(description, str) or not 1 <= len(description) <= 256:
        raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    return {"command": name.removeprefix("/"), "description": description}
