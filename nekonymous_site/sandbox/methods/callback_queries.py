"""Answers to taps."""

import time

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.simulation import Simulation

_MAX_TOAST_CHARACTERS = 200


async def answer_callback_query(simulation: Simulation, parameters: Parameters) -> bool:
    """Show the toast of a tap. Raises BotApiError for an unknown, old or already answered tap."""
    found = simulation.world.find_tap(parameters.text("callback_query_id"))
    text = parameters.text("text")
    if len(text) > _MAX_TOAST_CHARACTERS:
        raise bad_request("MESSAGE_TOO_LONG")
    lifetime = simulation.timings.callback_lifetime_seconds
    if found is None or found[1].answer is not None or time.time() - found[1].tapped_at > lifetime:
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    conversation, tap = found
    tap.answer = {
        "text": text,
        "show_alert": parameters.flag("show_alert"),
        "url": parameters.text("url"),
        "cache_time": max(parameters.integer("cache_time") or 0, 0),
    }
    simulation.world.note_change(conversation, tap)
    return True
