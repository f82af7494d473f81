"""The Bot API's refusals, in the words the real server uses."""

from nekonymous_site.sandbox.json_types import JsonObject

_STATUS_PREFIXES = {400: "Bad Request", 403: "Forbidden", 404: "Not Found", 409: "Conflict"}


class BotApiError(Exception):
    """The Bot API refused a call."""

    def __init__(self, error_code: int, description: str, parameters: JsonObject | None = None) -> None:
        super().__init__(description)
        self.error_code = error_code
        self.description = description
        self.parameters = parameters

    def as_json(self) -> JsonObject:
        """The answer's body."""
        body: JsonObject = {"ok": False, "error_code": self.error_code, "description": self.description}
        if self.parameters is not None:
            body["parameters"] = self.parameters
        return body


def refusal(error_code: int, reason: str) -> BotApiError:
    """Build an error whose description starts with its status, as the server's do."""
    return BotApiError(error_code, f"{_STATUS_PREFIXES[error_code]}: {reason}")


def bad_request(reason: str) -> BotApiError:
    """Build a 400."""
    return refusal(400, reason)


def unauthorized() -> BotApiError:
    """Build the answer to a wrong token."""
    return BotApiError(401, "Unauthorized")


def too_many_requests(retry_after_seconds: int) -> BotApiError:
    """Build the answer to a call that came too soon."""
    return BotApiError(
        429, f"Too Many Requests: retry after {retry_after_seconds}", {"retry_after": retry_after_seconds}
    )


def wrong_file_id() -> BotApiError:
    """Build the answer to a file id behind which there is no file (any more)."""
    return bad_request("wrong file identifier/HTTP URL specified")


def bot_was_blocked() -> BotApiError:
    """Build the answer to a send to somebody who blocked the bot."""
    return refusal(403, "bot was blocked by the user")


def user_is_deactivated() -> BotApiError:
    """Build the answer to a send to somebody whose account is gone."""
    return refusal(403, "user is deactivated")


def chat_not_found() -> BotApiError:
    """Build the answer to a send to a chat the bot has never met."""
    return bad_request("chat not found")
