"""The language that a call is about."""

import re

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.parameters import Parameters

_LANGUAGE_CODE = re.compile(r"[a-z]{2}", re.ASCII)


def read_language_code(parameters: Parameters) -> str:
    """Two letters, or nothing for everybody without a language of their own. Raises BotApiError."""
    code = parameters.text("language_code")
    if code and not _LANGUAGE_CODE.fullmatch(code):
        raise bad_request("invalid language code specified")
    return code
