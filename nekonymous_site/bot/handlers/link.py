"""/link: the link that a person shares."""

from nekonymous_site.bot import keyboards, screen_texts
from nekonymous_site.bot.bot_identity import bot_username
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen
from nekonymous_site.workflows.show_link import find_own_slug


def answer_link(visit: Visit, _argument: str) -> HandlerAnswer:
    """Show the link, ready to be passed on."""
    link = own_link_url(visit)
    return screen(
        screen_texts.own_link(visit.language, link=link),
        keyboard=keyboards.link_keyboard(visit.language, link=link),
    )


def own_link_url(visit: Visit) -> str:
    """Build the address that opens a chat with this bot and names the person's link."""
    slug = find_own_slug(visit.pipeline, visit.actor)
    return f"https://t.me/{bot_username(visit.pipeline)}?start={slug}"
