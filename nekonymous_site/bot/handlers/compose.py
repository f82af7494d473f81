"""Any message that is no command: it goes where the reply gesture or the open draft says."""

from accounts.drafts import DisplayNameDraft, Draft, MessageDraft, NicknameDraft, ReplyDraft
from nekonymous_site.bot import callback_data, outcome_texts, refusal_texts
from nekonymous_site.bot.handlers.compositions import (
    begin_gathering,
    is_first_of_several,
    is_part_without_buttons,
)
from nekonymous_site.bot.handlers.display_name import answer_display_name
from nekonymous_site.bot.handlers.nickname import answer_nickname
from nekonymous_site.bot.handlers.sending import answer_content
from nekonymous_site.bot.message_content import Unsendable, read_message
from nekonymous_site.bot.update_models import Message
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen


def answer_message(visit: Visit, message: Message) -> HandlerAnswer:
    """Send a message, or say why there is nothing to send or nobody to send it to."""
    replied = message.reply_to_message
    if replied is not None and is_part_without_buttons(replied):
        return screen(outcome_texts.where_to_reply(visit.language))
    gesture = callback_data.find_reply_capability(replied.reply_markup) if replied else None
    target: Draft | None = ReplyDraft(capability=gesture) if gesture else visit.actor.draft()
    match target:
        case NicknameDraft():
            return answer_nickname(visit, message.text, draft=target)
        case DisplayNameDraft():
            return answer_display_name(visit, message.text)
        case _:
            return _answer_content(visit, message, destination=target)


def _answer_content(visit: Visit, message: Message, *, destination: MessageDraft | None) -> HandlerAnswer:
    content = read_message(message)
    if content is Unsendable.SERVICE:
        return HandlerAnswer()  # nobody said anything: Telegram notes that something was pinned, and such
    if destination is None:
        return screen(outcome_texts.nothing_open(visit.language))
    if isinstance(content, Unsendable):
        is_open = visit.actor.draft_envelope is not None
        return screen(refusal_texts.unsendable(visit.language, why=content, draft_open=is_open))
    if is_first_of_several(message):
        return begin_gathering(visit, message, content=content, destination=destination)
    return answer_content(visit, content, destination=destination, message_id=message.message_id)
