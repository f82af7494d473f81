"""/help, and the answers to what is no command of ours."""

from django.conf import settings

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen


def answer_help(visit: Visit, _argument: str) -> HandlerAnswer:
    """List what there is, and say whose bot this is."""
    environment = settings.NEKO
    return screen(
        outcome_texts.help_screen(
            visit.language, contact=environment.contact, source_url=environment.source_url
        )
    )


def answer_unknown_command(visit: Visit, _argument: str) -> HandlerAnswer:
    return screen(outcome_texts.unknown_command(visit.language))
