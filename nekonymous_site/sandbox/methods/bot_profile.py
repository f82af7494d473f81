"""Who the bot is and which commands it offers."""

import json
import re

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.simulation import Simulation

_COMMAND_NAME = re.compile(r"[a-z0-9_]{1,32}", re.ASCII)
_MAX_COMMANDS = 100


async def get_me(simulation: Simulation, _parameters: Parameters) -> JsonObject:
    """Answer getMe."""
    return {
        **simulation.bot.as_user(),
        "can_join_groups": True,
        "can_read_all_group_messages": False,
        "supports_inline_queries": False,
        "can_connect_to_business": False,
        "has_main_web_app": False,
    }


async def set_my_commands(simulation: Simulation, parameters: Parameters) -> bool:
    """Keep the list of commands for a scope and language. Raises BotApiError for a malformed one."""
    commands = parameters.json_list("commands")
    if commands is None or len(commands) > _MAX_COMMANDS:
        raise bad_request("too many commands" if commands else "can't parse list of commands")
    simulation.world.commands[_scope_key(parameters)] = [_check_command(command) for command in commands]
    simulation.changed.beat()
    return True


async def get_my_commands(simulation: Simulation, parameters: Parameters) -> list[JsonObject]:
    """Answer the commands kept for exactly this scope and language."""
    return simulation.world.commands.get(_scope_key(parameters), [])


def _scope_key(parameters: Parameters) -> str:
    scope = parameters.json_object("scope") or {"type": "default"}
    return json.dumps([scope, parameters.text("language_code")], sort_keys=True)


def _check_command(command: object) -> JsonObject:
    if not isinstance(command, dict):
        raise bad_request("expected an object as a bot command")
    name, description = command.get("command"), command.get("description")
    if not isinstance(name, str) or not _COMMAND_NAME.fullmatch(name.removeprefix("/")):
        raise bad_request("BOT_COMMAND_INVALID")
    if not isinstance(description, str) or not 1 <= len(description) <= 256:
        raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    return {"command": name.removeprefix("/"), "description": description}
