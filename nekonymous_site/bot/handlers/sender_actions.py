"""The buttons under a delivered message that concern whoever sent it: who, block, unblock, nickname."""

from accounts.selectors import Actor
from nekonymous_site.bot import callback_data, keyboards, outcome_texts
from nekonymous_site.bot.handlers.destination import naming_key
from nekonymous_site.bot.update_models import TappedMessage
from nekonymous_site.bot.visit import HandlerAnswer, Visit, edited_buttons, prompt
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.workflows.block_sender import BlockOutcome, block_sender, unblock_sender
from nekonymous_site.workflows.name_sender import SenderCard, find_sender_card, open_naming


def answer_sender_mark(visit: Visit, data: str) -> HandlerAnswer:
    """Say whose words the message holds, as far as anybody knows: its number and day."""
    capability = callback_data.read_capability(data)
    card = find_sender_card(visit.pipeline, capability, owner=visit.actor) if capability else None
    number, on = (card.meta.number, card.meta.created_on) if card else (None, None)
    return HandlerAnswer(toast=outcome_texts.sender_explained(visit.language, number=number, on=on))


def answer_block(visit: Visit, data: str, *, tapped: TappedMessage) -> HandlerAnswer:
    """Block, and turn the button into its opposite. Succeeds visibly also the second time."""
    capability = callback_data.read_capability(data)
    if capability is None:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    match block_sender(visit.pipeline, capability, owner=visit.actor):
        case BlockOutcome.BUTTON_DEAD:
            return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
        case BlockOutcome.LIST_FULL:
            return HandlerAnswer(toast=outcome_texts.blocks_full(visit.language))
        case BlockOutcome.DONE:
            toast = outcome_texts.blocked(visit.language)
            return _with_new_buttons(visit, capability, tapped=tapped, toast=toast)


def answer_unblock(visit: Visit, data: str, *, tapped: TappedMessage) -> HandlerAnswer:
    """Lift a block, and turn the button into its opposite. Succeeds visibly also the second time."""
    capability = callback_data.read_capability(data)
    if capability is None:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    if unblock_sender(visit.pipeline, capability, owner=visit.actor) is BlockOutcome.BUTTON_DEAD:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    toast = outcome_texts.unblocked(visit.language)
    return _with_new_buttons(visit, capability, tapped=tapped, toast=toast)


def answer_nickname_tap(visit: Visit, data: str, *, tapped: TappedMessage) -> HandlerAnswer:
    """Ask for a nickname; the next text is taken for it."""
    capability = callback_data.read_capability(data)
    card = (
        open_naming(
            visit.pipeline,
            capability,
            owner=visit.actor,
            message_id=tapped.message_id,
            possible_repeat=callback_data.is_marked_repeat(tapped.reply_markup),
        )
        if capability
        else None
    )
    if card is None or capability is None:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    remove = keyboards.nickname_removed_button(capability, language=visit.language)
    keyboard = keyboards.prompt_keyboard(
        naming_key(capability),
        language=visit.language,
        before=(remove,) if card.nickname else (),
    )
    text = outcome_texts.nickname_prompt(visit.language, current=card.nickname)
    return prompt(text, keyboard=keyboard, reply_to=tapped.message_id)


def ticket_buttons(
    capability: Capability, *, card: SenderCard, owner: Actor, possible_repeat: bool
) -> keyboards.Keyboard:
    """Give the buttons of a delivered message as they are to be now."""
    return keyboards.ticket_keyboard(
        capability,
        language=owner.language,
        nickname=card.nickname,
        possible_repeat=possible_repeat,
        blocked=card.blocked,
    )


def _with_new_buttons(
    visit: Visit, capability: Capability, *, tapped: TappedMessage, toast: str
) -> HandlerAnswer:
    card = find_sender_card(visit.pipeline, capability, owner=visit.actor)
    if card is None:
        return HandlerAnswer(toast=toast)
    keyboard = ticket_buttons(
        capability,
        card=card,
        owner=visit.actor,
        possible_repeat=callback_data.is_marked_repeat(tapped.reply_markup),
    )
    return edited_buttons(message_id=tapped.message_id, keyboard=keyboard, toast=toast)
