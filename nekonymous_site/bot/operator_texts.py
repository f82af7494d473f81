"""What the operator's chat is told. Each function gives one text, which holds nobody's data."""

from nekonymous_site.bot.catalogues import translate


def sending_stood_still(language: str) -> str:
    """Tell that the token was refused for a while; it arrives when the token works again."""
    return translate(
        language,
        "⚠️ Sending stood still, because Telegram refused the bot's token. It works again: nothing was lost, "
        "and what waited is going out now.",
    )


def letter_died(language: str) -> str:
    """Tell that there are dead letters."""
    return translate(
        language,
        "⚠️ Something could not be sent and is kept, sealed, for 30 days. To see the list: neko outbox list",
    )


def update_set_aside(language: str) -> str:
    """Tell that there are parked updates."""
    return translate(
        language,
        "⚠️ An update failed again and again and is kept, sealed, for 7 days. To see the list: neko updates "
        "list",
    )
