"""Messages that come in several updates: albums, and long texts that the sender's client has cut."""

import time
from dataclasses import replace
from typing import Final

import structlog

import accounts.compositions
import accounts.services
from nekonymous_site.bell import Bell
from nekonymous_site.bot import callback_data, outcome_texts, refusal_texts
from nekonymous_site.bot.handlers.destination import Destination, NoDestination, find_destination
from nekonymous_site.bot.handlers.sending import Way, ask_or_send, compose, send_composition
from nekonymous_site.bot.message_content import ReadContent, Unsendable, read_message
from nekonymous_site.bot.typed_answers import read_yes_or_no
from nekonymous_site.bot.update_models import Message
from nekonymous_site.bot.utf16 import count_units
from nekonymous_site.bot.visit import HandlerAnswer, Visit, acknowledgement, edited_buttons, together
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.workflows.compositions import (
    Composition,
    find_asked,
    find_only_asked,
    keep_gathering,
)

log = structlog.get_logger("compositions")

# Clients cut at 4,096 units, or before at a blank line in the second half of that.
LONG_PART_UNITS: Final = 2048


def is_first_of_several(message: Message) -> bool:
    """Tell whether more may follow that belongs to this message."""
    return message.media_group_id is not None or _is_long(message)


def belongs_to(visit: Visit, composition: Composition, message: Message) -> bool:
    """Tell whether a message is one more of an album, or the next part of a long text.

    Whatever would go somewhere else by itself is none of it, whenever it comes.
    """
    if composition.album is not None:
        is_next = message.media_group_id == composition.album
    else:
        is_next = message.text is not None and message.media_group_id is None
    return is_next and _goes_along(visit, composition, message)


def begin_gathering(visit: Visit, message: Message, *, content: ReadContent, way: Way) -> HandlerAnswer:
    """Keep the first of several messages; it is answered when it is whole, two seconds after the last."""
    composition = compose(visit, content, way=way, album=message.media_group_id)
    if composition.is_too_long:
        return acknowledgement(refusal_texts.too_long(visit.language))
    keep_gathering(visit.pipeline, composition, owner=visit.actor)
    return HandlerAnswer(bells=(Bell.GATHERING,))


def add_to_gathering(visit: Visit, composition: Composition, message: Message) -> HandlerAnswer:
    """Add one more message; a full album, and a text that has got its short last part, end at once."""
    content = read_message(message)
    if isinstance(content, Unsendable):
        return acknowledgement(refusal_texts.unsendable(visit.language, why=content, draft_open=False))
    if composition.overflown:
        grown = composition
    elif composition.has_room_for(content.items):
        grown = composition.with_more(content.items, names=content.names)
    elif composition.album is None:
        grown = composition.without_room()
    else:
        cut = acknowledgement(refusal_texts.gathering_cut(visit.language))
        return together(end_gathering(visit, composition), cut)
    if grown.is_full if grown.album is not None else not _is_long(message):
        return end_gathering(visit, grown)
    keep_gathering(visit.pipeline, grown, owner=visit.actor)
    return HandlerAnswer(bells=(Bell.GATHERING,))


def end_gathering(visit: Visit, composition: Composition) -> HandlerAnswer:
    """Send what has gathered, or ask about the names on it, or say that it was too long."""
    _keep_late_parts_out(visit, composition)
    accounts.compositions.queue_composition_closed(visit.pipeline, composition.composition_id)
    if composition.overflown:
        return acknowledgement(refusal_texts.too_long(visit.language), reply_to=composition.message_id)
    paced = replace(visit, may_send_first=visit.may_send_first and composition.may_send_first)
    return ask_or_send(paced, composition)


def answer_send_anyway(visit: Visit, data: str, *, message_id: int) -> HandlerAnswer:
    """Send what waited for a yes."""
    composition = _find_asked(visit, data)
    if composition is None:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    accounts.compositions.queue_composition_closed(visit.pipeline, composition.composition_id)
    without_buttons = edited_buttons(message_id=message_id, keyboard=None)
    return together(without_buttons, send_composition(visit, composition))


def answer_throw_away(visit: Visit, data: str, *, message_id: int) -> HandlerAnswer:
    """Throw away what waited for a yes; a draft that is open stays open."""
    composition = _find_asked(visit, data)
    if composition is None:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    accounts.compositions.queue_composition_closed(visit.pipeline, composition.composition_id)
    dropped = refusal_texts.revealing_dropped(visit.language)
    return edited_buttons(message_id=message_id, keyboard=None, toast=dropped)


def answer_in_words(visit: Visit, text: str | None) -> HandlerAnswer | None:
    """Take a typed yes or no for the one message that waits for it; None when it is a message itself."""
    is_yes = read_yes_or_no(text)
    if is_yes is None:
        return None
    try:
        composition = find_only_asked(visit.pipeline, owner=visit.actor)
    except EnvelopeUnreadable:
        return None
    if composition is None:
        return None
    accounts.compositions.queue_composition_closed(visit.pipeline, composition.composition_id)
    if is_yes:
        return send_composition(visit, composition)
    return acknowledgement(refusal_texts.revealing_dropped(visit.language), reply_to=composition.message_id)


def _goes_along(visit: Visit, composition: Composition, message: Message) -> bool:
    found = find_destination(visit, message)
    match found:
        case Destination():
            return found.target == composition.destination
        case NoDestination.NOTHING_OPEN:
            # Clients may put the reply on the first part alone.
            return composition.by_gesture
        case _:
            return False


def _keep_late_parts_out(visit: Visit, composition: Composition) -> None:
    """What went by a gesture past an open draft may have parts that are late: they are not for that draft."""
    opened = visit.actor.open_draft()
    if composition.by_gesture and opened is not None and opened.draft != composition.destination:
        accounts.services.queue_draft(
            visit.pipeline,
            owner=visit.actor.account_id,
            draft=opened.draft,
            opened_at=max(opened.opened_at, int(time.time()) + 1),
        )


def _find_asked(visit: Visit, data: str) -> Composition | None:
    """Find what a question is about; one that is spoilt is thrown away. Raises UnknownKeyId."""
    composition_id = callback_data.read_id(data)
    if composition_id is None:
        return None
    try:
        return find_asked(visit.pipeline, composition_id, owner=visit.actor)
    except EnvelopeUnreadable:
        log.warning("composition_unreadable")
        accounts.compositions.queue_composition_closed(visit.pipeline, composition_id)
        return None


def _is_long(message: Message) -> bool:
    return message.text is not None and count_units(message.text) >= LONG_PART_UNITS
