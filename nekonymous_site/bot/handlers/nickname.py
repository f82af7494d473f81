"""What somebody types after the nickname button, and the button that takes a nickname away."""

from typing import Final

from accounts.drafts import NicknameDraft
from nekonymous_site.bot import callback_data, outcome_texts
from nekonymous_site.bot.handlers.sender_actions import ticket_buttons
from nekonymous_site.bot.personal_names import read_name
from nekonymous_site.bot.visit import HandlerAnswer, Visit, edited_buttons, screen, together
from nekonymous_site.workflows.name_sender import NamingOutcome, find_sender_card, name_sender

MOST_GRAPHEMES: Final = 32


def answer_nickname(visit: Visit, text: str | None, *, draft: NicknameDraft) -> HandlerAnswer:
    """Take a text for the nickname and show it on the message's buttons; anything else is asked for again."""
    name = read_name(text, most_graphemes=MOST_GRAPHEMES)
    if name is None:
        return screen(outcome_texts.nickname_unusable(visit.language))
    match name_sender(visit.pipeline, draft.capability, owner=visit.actor, name=name):
        case NamingOutcome.TOO_MANY:
            return screen(outcome_texts.nicknames_full(visit.language))
        case NamingOutcome.BUTTON_DEAD:
            return screen(outcome_texts.button_dead(visit.language))
        case NamingOutcome.DONE:
            done = screen(outcome_texts.nickname_set(visit.language, name=name))
            return together(_new_buttons(visit, draft=draft), done)


def answer_nickname_removed(visit: Visit, data: str) -> HandlerAnswer:
    """Take a nickname away. Succeeds visibly also the second time."""
    capability = callback_data.read_capability(data)
    draft = visit.actor.draft()
    outcome = (
        name_sender(visit.pipeline, capability, owner=visit.actor, name=None)
        if capability
        else NamingOutcome.BUTTON_DEAD
    )
    if outcome is NamingOutcome.BUTTON_DEAD:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    removed = HandlerAnswer(toast=outcome_texts.nickname_removed(visit.language))
    if isinstance(draft, NicknameDraft) and draft.capability == capability:
        return together(_new_buttons(visit, draft=draft), removed)
    return removed


def _new_buttons(visit: Visit, *, draft: NicknameDraft) -> HandlerAnswer:
    card = find_sender_card(visit.pipeline, draft.capability, owner=visit.actor)
    if card is None:
        return HandlerAnswer()
    keyboard = ticket_buttons(
        draft.capability, card=card, owner=visit.actor, possible_repeat=draft.possible_repeat
    )
    return edited_buttons(message_id=draft.message_id, keyboard=keyboard)
