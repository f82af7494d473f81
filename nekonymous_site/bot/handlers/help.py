"""/help, and the answers to what is no command of ours."""

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen


def answer_help(visit: Visit, _argument: str) -> HandlerAnswer:
    return screen(outcome_texts.help_text(visit.language))


def answer_unknown_command(visit: Visit, _argument: str) -> HandlerAnswer:
    return screen(outcome_texts.unknown_command(visit.language))
