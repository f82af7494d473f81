"""Any message that is no command: it goes where the reply gesture or the open draft says."""

from dataclasses import replace

from accounts.drafts import ComposeDraft, DisplayNameDraft, NicknameDraft, ReplyDraft
from nekonymous_site.bot import refusal_texts
from nekonymous_site.bot.handlers.compositions import answer_in_words, begin_gathering, is_first_of_several
from nekonymous_site.bot.handlers.destination import (
    NoDestination,
    answer_no_destination,
    find_destination,
)
from nekonymous_site.bot.handlers.display_name import answer_display_name
from nekonymous_site.bot.handlers.nickname import answer_nickname
from nekonymous_site.bot.handlers.sending import Way, answer_content
from nekonymous_site.bot.message_content import ReadContent, Unsendable, read_message
from nekonymous_site.bot.update_models import Message
from nekonymous_site.bot.visit import HandlerAnswer, Visit, acknowledgement


def answer_message(visit: Visit, message: Message) -> HandlerAnswer:
    """Send a message, or say why there is nothing to send or nobody to send it to."""
    content = read_message(message)
    if content is Unsendable.SERVICE:
        return HandlerAnswer()  # nobody said anything: Telegram notes that something was pinned, and such
    in_words = answer_in_words(visit, message.text) if message.reply_to_message is None else None
    if in_words is not None:
        return in_words
    found = find_destination(visit, message)
    if isinstance(found, NoDestination):
        answer = answer_no_destination(visit, found, message_id=message.message_id)
        return _once_an_album(visit, message, answer)
    match found.target:
        case NicknameDraft():
            return _once_an_album(visit, message, answer_nickname(visit, message.text, draft=found.target))
        case DisplayNameDraft():
            return _once_an_album(visit, message, answer_display_name(visit, message.text))
        case ComposeDraft() | ReplyDraft() as target:
            way = Way(destination=target, by_gesture=found.by_gesture, message_id=message.message_id)
            return _answer_content(visit, message, content=content, way=way)


def _answer_content(
    visit: Visit, message: Message, *, content: ReadContent | Unsendable, way: Way
) -> HandlerAnswer:
    if isinstance(content, Unsendable):
        is_open = not way.by_gesture
        refusal = refusal_texts.unsendable(visit.language, why=content, draft_open=is_open)
        return acknowledgement(refusal, reply_to=message.message_id)
    if is_first_of_several(message):
        return begin_gathering(visit, message, content=content, way=way)
    return answer_content(visit, content, way=way)


def _once_an_album(visit: Visit, message: Message, answer: HandlerAnswer) -> HandlerAnswer:
    """Give an answer that the items of one album call for once and not ten times."""
    if message.media_group_id is None:
        return answer
    album = f"album:{visit.chat_id}:{message.media_group_id}"
    return replace(answer, once=album.encode())
