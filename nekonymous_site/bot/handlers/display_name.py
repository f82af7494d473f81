"""The name that whoever opens a person's link is told; nobody has one until they choose it."""

from typing import Final

import accounts.preferences
import accounts.services
from accounts.drafts import DisplayNameDraft
from nekonymous_site.bot import button_texts, settings_texts
from nekonymous_site.bot.handlers.destination import prompt_key
from nekonymous_site.bot.handlers.settings_screens import settings_button
from nekonymous_site.bot.keyboards import prompt_keyboard
from nekonymous_site.bot.personal_names import holds_link, read_name
from nekonymous_site.bot.visit import HandlerAnswer, Visit, prompt, screen

MOST_GRAPHEMES: Final = 64


def ask_for_name(visit: Visit) -> HandlerAnswer:
    """Ask for a name; the next text is taken for it."""
    preferences = accounts.preferences.queue_preferences(visit.pipeline, visit.actor.account_id).value
    draft = DisplayNameDraft()
    accounts.services.queue_draft(visit.pipeline, owner=visit.actor.account_id, draft=draft)
    current, language = preferences.display_name, visit.language
    remove = settings_button(button_texts.remove_name(language), "name:remove")
    keyboard = prompt_keyboard(prompt_key(draft), language=language, before=(remove,) if current else ())
    return prompt(settings_texts.name_prompt(language, current=current), keyboard=keyboard)


def answer_display_name(visit: Visit, text: str | None) -> HandlerAnswer:
    """Take a text for the name; anything else is asked for again."""
    name = read_name(text, most_graphemes=MOST_GRAPHEMES)
    if name is None or holds_link(name):
        return screen(settings_texts.name_unusable(visit.language))
    accounts.preferences.queue_display_name(visit.pipeline, visit.actor.account_id, name=name)
    accounts.services.queue_draft_closed(visit.pipeline, owner=visit.actor.account_id)
    return screen(settings_texts.name_set(visit.language, name=name))


def remove_name(visit: Visit) -> str:
    """Take the name away and stop asking for one; gives the words for it. May be repeated."""
    accounts.preferences.queue_display_name(visit.pipeline, visit.actor.account_id, name=None)
    if isinstance(visit.actor.draft(), DisplayNameDraft):
        accounts.services.queue_draft_closed(visit.pipeline, owner=visit.actor.account_id)
    return settings_texts.name_removed(visit.language)
