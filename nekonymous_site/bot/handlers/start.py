"""/start, with or without somebody's slug."""

from django.conf import settings

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.handlers.link import own_link_url
from nekonymous_site.bot.visit import HandlerAnswer, Visit, prompt, screen
from nekonymous_site.workflows.open_link import LinkOpened, open_link


def answer_start(visit: Visit, argument: str) -> HandlerAnswer:
    """Open somebody's link, or welcome."""
    if not argument:
        return _welcome(visit)
    match open_link(visit.pipeline, visit.actor, slug=argument):
        case LinkOpened.COMPOSING:
            return prompt(outcome_texts.compose_prompt(visit.language))
        case LinkOpened.OWN_LINK:
            return screen(outcome_texts.own_link_opened(visit.language))
        case LinkOpened.DEAD_LINK:
            return screen(outcome_texts.dead_link(visit.language))


def _welcome(visit: Visit) -> HandlerAnswer:
    return screen(
        outcome_texts.welcome(visit.language, link=own_link_url(visit), contact=settings.NEKO.contact)
    )
