"""Which bot this is: asked of Telegram once, kept in the database, remembered by the process."""

from typing import Final

import outbox.selectors
from nekonymous_site.pipeline import StatementPipeline

_known_usernames: Final[list[str]] = []  # filled once: a bot's name does not change under a running process


def forget_bot() -> None:
    """Ask the database again next time."""
    _known_usernames.clear()


class BotNotIdentified(Exception):
    """Telegram has not been asked yet which bot this is; the sweeper, `setwebhook` and `poll` ask."""


def bot_username(pipeline: StatementPipeline) -> str:
    """Name the bot. Raises BotNotIdentified, a temporary failure, before Telegram has been asked."""
    if not _known_usernames:
        identity = outbox.selectors.queue_bot_identity(pipeline).value
        if identity is None:
            raise BotNotIdentified
        _known_usernames.append(identity.username)
    return _known_usernames[0]
