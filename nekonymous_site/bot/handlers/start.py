"""/start, with or without somebody's slug."""

from nekonymous_site.bot import keyboards, outcome_texts, screen_texts
from nekonymous_site.bot.handlers.link import own_link_url
from nekonymous_site.bot.handlers.sending import refusal_text
from nekonymous_site.bot.visit import HandlerAnswer, Visit, prompt, screen
from nekonymous_site.workflows.inbox_gates import Refused
from nekonymous_site.workflows.open_link import LinkClosed, LinkOpened, open_link


def answer_start(visit: Visit, argument: str) -> HandlerAnswer:
    """Open somebody's link, or welcome."""
    return answer_slug(visit, argument) if argument else _welcome(visit)


def answer_slug(visit: Visit, slug: str) -> HandlerAnswer:
    """Open somebody's link, or say why it does not open."""
    opened = open_link(visit.pipeline, visit.actor, slug=slug, opened_at=visit.written_at)
    match opened:
        case LinkOpened():
            return prompt(
                outcome_texts.compose_prompt(visit.language, name=opened.name),
                keyboard=keyboards.prompt_keyboard(slug, language=visit.language),
            )
        case LinkClosed.OWN_LINK:
            keyboard = keyboards.link_keyboard(visit.language, link=own_link_url(visit))
            return screen(outcome_texts.own_link_opened(visit.language), keyboard=keyboard)
        case LinkClosed.DEAD_LINK:
            return screen(outcome_texts.dead_link(visit.language))
        case Refused():
            return screen(refusal_text(visit, opened, draft_open=False))


def _welcome(visit: Visit) -> HandlerAnswer:
    text = screen_texts.welcome(visit.language, link=own_link_url(visit))
    return screen(text, keyboard=keyboards.menu_keyboard(visit.language))
