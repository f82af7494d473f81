"""Where a message goes: what its reply gesture says, else the open draft; and when that cannot be told.

Taps and messages reach us in queues of their own, and a message may be delivered late. So a draft takes
nothing that was written before it was opened, and a gesture that names another place is not overlooked.
"""

from dataclasses import dataclass
from enum import Enum, auto

from accounts.drafts import ComposeDraft, DisplayNameDraft, Draft, NicknameDraft, ReplyDraft
from nekonymous_site.bot import callback_data, outcome_texts
from nekonymous_site.bot.update_models import Message, RepliedMessage
from nekonymous_site.bot.visit import HandlerAnswer, Visit, acknowledgement
from nekonymous_site.crypto.capabilities import Capability


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Destination:
    """What a message is for, and whether a gesture said so rather than the open draft."""

    target: Draft
    by_gesture: bool


class NoDestination(Enum):
    NOTHING_OPEN = auto()
    PART_WITHOUT_BUTTONS = auto()  # of a delivered album or long text; its last part has them
    UNCLEAR_GESTURE = auto()  # a reply to something that does not stand for what is open
    WRITTEN_BEFORE = auto()  # before the open draft was opened


def find_destination(visit: Visit, message: Message) -> Destination | NoDestination:
    """Say where a message goes. Raises CryptoError while only a key is missing for the draft."""
    opened = visit.actor.open_draft()
    replied = message.reply_to_message
    if replied is not None and replied.is_from_bot:
        capability = callback_data.find_reply_capability(replied.reply_markup)
        if capability is not None:
            return Destination(target=ReplyDraft(capability=capability), by_gesture=True)
        if _is_delivered_part(replied):
            return NoDestination.PART_WITHOUT_BUTTONS
    if replied is not None and opened is not None:
        # Also to a message of their own: that one may have been for somebody else.
        keys = callback_data.list_prompt_keys(replied.reply_markup)
        if prompt_key(opened.draft) not in keys:
            return NoDestination.UNCLEAR_GESTURE
    if opened is None:
        return NoDestination.NOTHING_OPEN
    if not opened.is_meant_by(written_at=message.date):
        return NoDestination.WRITTEN_BEFORE
    return Destination(target=opened.draft, by_gesture=False)


def answer_no_destination(visit: Visit, why: NoDestination, *, message_id: int) -> HandlerAnswer:
    """Say that a message was not sent, and how it can be. This must arrive: nothing else tells of it."""
    match why:
        case NoDestination.NOTHING_OPEN:
            text = outcome_texts.nothing_open(visit.language)
        case NoDestination.PART_WITHOUT_BUTTONS:
            text = outcome_texts.where_to_reply(visit.language)
        case NoDestination.UNCLEAR_GESTURE:
            text = outcome_texts.unclear_gesture(visit.language)
        case NoDestination.WRITTEN_BEFORE:
            text = outcome_texts.written_before(visit.language)
    return acknowledgement(text, reply_to=message_id)


def prompt_key(draft: Draft) -> str:
    """Name a draft in the cancel button of its prompt, so that a reply to another prompt is told from one."""
    match draft:
        case ComposeDraft():
            return draft.slug
        case ReplyDraft():
            return draft.capability.to_text()
        case NicknameDraft():
            return naming_key(draft.capability)
        case DisplayNameDraft():
            return "name"


def naming_key(capability: Capability) -> str:
    """Name the draft that takes a nickname for whoever sent this ticket, as `prompt_key` does."""
    return f"n.{capability.to_text()}"


def _is_delivered_part(replied: RepliedMessage) -> bool:
    return replied.holds_media or replied.has_protected_content
