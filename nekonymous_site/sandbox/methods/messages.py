"""Sending texts."""

from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.keyboard_checks import read_reply_markup
from nekonymous_site.sandbox.message_checks import read_formatted_text
from nekonymous_site.sandbox.methods.posting import post, prepare_posting
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.send_options import read_link_preview_field
from nekonymous_site.sandbox.simulation import Simulation


async def send_message(simulation: Simulation, parameters: Parameters) -> JsonObject:
    """Put a text into a chat. Raises BotApiError as the server does."""
    formatted = read_formatted_text(parameters)
    posting = prepare_posting(simulation, parameters, markup=read_reply_markup(parameters))
    return post(simulation, posting, fields=formatted.as_fields() | read_link_preview_field(parameters))
