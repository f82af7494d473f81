"""Messages that come in several updates: albums, and long texts that the sender's client has cut."""

from typing import Final

import accounts.compositions
from accounts.drafts import MessageDraft, ReplyDraft
from nekonymous_site.bell import Bell
from nekonymous_site.bot import callback_data, outcome_texts, refusal_texts
from nekonymous_site.bot.handlers.sending import ask_about_names, send_composition
from nekonymous_site.bot.message_content import ReadContent, Unsendable, read_message
from nekonymous_site.bot.update_models import Message, RepliedMessage
from nekonymous_site.bot.utf16 import count_units
from nekonymous_site.bot.visit import HandlerAnswer, Visit, edited_buttons, screen, together
from nekonymous_site.workflows.compositions import (
    MOST_ITEMS,
    Composition,
    Stage,
    find_composition,
    keep_composition,
)

# Clients cut at 4,096 units, or before at a blank line in the second half of that.
LONG_PART_UNITS: Final = 2048


def is_first_of_several(message: Message) -> bool:
    """Tell whether more may follow that belongs to this message."""
    return message.media_group_id is not None or _is_long(message)


def belongs_to(composition: Composition, message: Message) -> bool:
    """Tell whether a message is one more of an album, or the next part of a long text.

    One that answers something else, by Telegram's reply gesture, is none of it.
    """
    if not _goes_to(composition.destination, message.reply_to_message):
        return False
    if composition.album is not None:
        return message.media_group_id == composition.album
    return message.text is not None and message.media_group_id is None


def is_part_without_buttons(replied: RepliedMessage) -> bool:
    """Tell a part of a delivered album or long text, which must not be taken for a word to somebody else."""
    if not replied.is_from_bot or callback_data.find_reply_capability(replied.reply_markup):
        return False
    return replied.holds_media or replied.has_protected_content


def begin_gathering(
    visit: Visit, message: Message, *, content: ReadContent, destination: MessageDraft
) -> HandlerAnswer:
    """Keep the first of several messages; it is answered when it is whole, two seconds after the last."""
    if len(content.items) > MOST_ITEMS:
        return screen(refusal_texts.too_long(visit.language))
    composition = Composition.begin(
        Stage.GATHERING,
        destination=destination,
        message_id=message.message_id,
        items=content.items,
        names=[one.name for one in content.revealing],
        album=message.media_group_id,
        may_send_first=visit.may_send_first,
    )
    keep_composition(visit.pipeline, composition, owner=visit.actor)
    return HandlerAnswer(bells=(Bell.GATHERING,))


def add_to_gathering(visit: Visit, composition: Composition, message: Message) -> HandlerAnswer:
    """Add one more message; what is full, or has got its short last part, is ended at once."""
    content = read_message(message)
    if isinstance(content, Unsendable):
        return screen(refusal_texts.unsendable(visit.language, why=content, draft_open=False))
    if not composition.has_room_for(content.items):
        cut = screen(refusal_texts.gathering_cut(visit.language))
        return together(end_gathering(visit, composition), cut)
    grown = composition.with_more(content.items, names=[one.name for one in content.revealing])
    if grown.is_full or (grown.album is None and not _is_long(message)):
        return end_gathering(visit, grown)
    keep_composition(visit.pipeline, grown, owner=visit.actor)
    return HandlerAnswer(bells=(Bell.GATHERING,))


def end_gathering(visit: Visit, composition: Composition) -> HandlerAnswer:
    """Send what has gathered, or ask about the names on it."""
    if composition.names:
        return ask_about_names(visit, composition.asked())
    return send_composition(visit, composition)


def answer_send_anyway(visit: Visit, data: str, *, message_id: int) -> HandlerAnswer:
    """Send what waited for a yes."""
    composition = _find_asked(visit, data)
    if composition is None:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    return together(
        edited_buttons(message_id=message_id, keyboard=None), send_composition(visit, composition)
    )


def answer_throw_away(visit: Visit, data: str, *, message_id: int) -> HandlerAnswer:
    """Throw away what waited for a yes; a draft that is open stays open."""
    if _find_asked(visit, data) is None:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    accounts.compositions.queue_composition_closed(visit.pipeline, visit.actor.account_id)
    dropped = refusal_texts.revealing_dropped(visit.language)
    return edited_buttons(message_id=message_id, keyboard=None, toast=dropped)


def _goes_to(destination: MessageDraft, replied: RepliedMessage | None) -> bool:
    if replied is None:
        return True
    gesture = callback_data.find_reply_capability(replied.reply_markup)
    if gesture is not None:
        return destination == ReplyDraft(capability=gesture)
    return not is_part_without_buttons(replied)


def _find_asked(visit: Visit, data: str) -> Composition | None:
    composition = find_composition(visit.actor)
    if composition is None or composition.stage is not Stage.ASKED:
        return None
    return composition if callback_data.read_id(data) == composition.composition_id else None


def _is_long(message: Message) -> bool:
    return message.text is not None and count_units(message.text) >= LONG_PART_UNITS
