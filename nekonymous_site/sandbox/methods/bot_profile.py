"""Who the bot is and what it says of itself."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.methods.language_codes import read_language_code
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.text_units import count_utf16_units

_Setter: TypeAlias = Callable[[Simulation, Parameters], Awaitable[bool]]
_Getter: TypeAlias = Callable[[Simulation, Parameters], Awaitable[JsonObject]]

_MOST_UNITS = {"name": 64, "description": 512, "short_description": 120}


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


def setter_of(field: str) -> _Setter:
    """Make the method that sets the name or a description in one language, or takes it away when empty."""

    async def set_field(simulation: Simulation, parameters: Parameters) -> bool:
        language_code = read_language_code(parameters)
        value = parameters.text(field).strip()
        if count_utf16_units(value) > _MOST_UNITS[field]:
            reason = f"bot {field.replace('_', ' ')} is too long"
            raise bad_request(reason)
        simulation.world.profile.set(field, value, language_code=language_code)
        simulation.changed.beat()
        return True

    return set_field


def getter_of(field: str) -> _Getter:
    """Make the method that answers it in one language, else as it is in those without their own."""

    async def get_field(simulation: Simulation, parameters: Parameters) -> JsonObject:
        profile, language_code = simulation.world.profile, read_language_code(parameters)
        default = simulation.bot.first_name if field == "name" else ""
        return {field: profile.get(field, language_code=language_code) or default}

    return get_field
