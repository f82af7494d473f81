"""/help, /privacy, and the answer to what is no command of ours."""

from django.conf import settings

from nekonymous_site.bot import keyboards, screen_texts
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen


def answer_help(visit: Visit, _argument: str) -> HandlerAnswer:
    """List what there is, and say whose bot this is."""
    environment = settings.NEKO
    text = screen_texts.help_screen(
        visit.language, contact=environment.contact, source_url=environment.source_url
    )
    return screen(text, keyboard=keyboards.menu_keyboard(visit.language))


def answer_privacy(visit: Visit, _argument: str) -> HandlerAnswer:
    """Say plainly what is kept and what is not promised."""
    environment = settings.NEKO
    return screen(
        screen_texts.privacy_screen(
            visit.language, contact=environment.contact, source_url=environment.source_url
        )
    )


def answer_unknown_command(visit: Visit, _argument: str) -> HandlerAnswer:
    return screen(screen_texts.unknown_command(visit.language))
