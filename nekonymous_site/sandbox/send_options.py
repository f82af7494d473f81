"""Options that every kind of send has: effects, protection, previews of links."""

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.parameters import Parameters

# The effects that need no Premium: thumbs up and down, heart, fire, party popper, pile of poo.
_EFFECT_IDS = frozenset(
    {
        "5107584321108051014",
        "5104858069142078462",
        "5159385139981059251",
        "5104841245755180586",
        "5046509860389126442",
        "5046589136895476101",
    }
)
_PREVIEW_FLAGS = ("is_disabled", "prefer_small_media", "prefer_large_media", "show_above_text")


def read_option_fields(parameters: Parameters, *, chat_type: str) -> JsonObject:
    """The fields that a Message object has of these options. Raises BotApiError."""
    fields: JsonObject = {}
    if parameters.flag("protect_content"):
        fields["has_protected_content"] = True
    effect_id = parameters.text("message_effect_id")
    if effect_id:
        if chat_type != "private" or effect_id not in _EFFECT_IDS:
            raise bad_request("EFFECT_ID_INVALID")
        fields["effect_id"] = effect_id
    return fields


def read_link_preview_field(parameters: Parameters) -> JsonObject:
    """What a text says about the preview of its links. Raises BotApiError for options of a wrong type."""
    options = parameters.json_object("link_preview_options")
    if options is None:
        is_disabled = parameters.flag("disable_web_page_preview")
        return {"link_preview_options": {"is_disabled": True}} if is_disabled else {}
    for name in _PREVIEW_FLAGS:
        if not isinstance(options.get(name, False), bool):
            reason = f'can\'t parse link preview options: Field "{name}" must be of type Boolean'
            raise bad_request(reason)
    if not isinstance(options.get("url", ""), str):
        raise bad_request('can\'t parse link preview options: Field "url" must be of type String')
    shown = {name: value for name, value in options.items() if value and name in {*_PREVIEW_FLAGS, "url"}}
    return {"link_preview_options": shown} if shown else {}
