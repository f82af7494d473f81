"""Any message that is no command: it goes where the reply gesture or the open draft says."""

from accounts.drafts import ComposeDraft, ReplyDraft
from nekonymous_site.bot import callback_data, outcome_texts
from nekonymous_site.bot.handlers.reply import answer_reply_text
from nekonymous_site.bot.message_content import read_content
from nekonymous_site.bot.update_models import Message
from nekonymous_site.bot.visit import HandlerAnswer, Visit, acknowledgement, screen
from nekonymous_site.workflows.cancel_draft import cancel_draft
from nekonymous_site.workflows.send_anonymous_message import MessageTaken, send_anonymous_message
from nekonymous_site.workflows.ticket_content import MessageContent


def answer_message(visit: Visit, message: Message) -> HandlerAnswer:
    """Send a message, or say why there is nothing to send."""
    replied = message.reply_to_message
    gesture = callback_data.find_reply_capability(replied.reply_markup) if replied else None
    draft = visit.actor.draft()
    if gesture is None and draft is None:
        return screen(outcome_texts.nothing_open(visit.language))
    if message.text is None:
        return screen(outcome_texts.text_only(visit.language, draft_open=draft is not None))
    content = read_content(message)
    if content is None:
        return screen(outcome_texts.empty_text(visit.language, draft_open=draft is not None))
    if gesture is not None:
        return answer_reply_text(visit, content, capability=gesture, message_id=message.message_id)
    return _answer_draft(visit, content, draft=draft, message_id=message.message_id)


def _answer_draft(
    visit: Visit, content: MessageContent, *, draft: ComposeDraft | ReplyDraft | None, message_id: int
) -> HandlerAnswer:
    match draft:
        case ComposeDraft():
            return _answer_compose(visit, content, draft=draft, message_id=message_id)
        case ReplyDraft():
            cancel_draft(visit.pipeline, visit.actor)
            return answer_reply_text(visit, content, capability=draft.capability, message_id=message_id)
        case None:
            return screen(outcome_texts.nothing_open(visit.language))


def _answer_compose(
    visit: Visit, content: MessageContent, *, draft: ComposeDraft, message_id: int
) -> HandlerAnswer:
    outcome = send_anonymous_message(
        visit.pipeline,
        content,
        sender=visit.actor,
        draft=draft,
        chat_id=visit.chat_id,
        message_id=message_id,
    )
    match outcome:
        case MessageTaken.ACCEPTED:
            return acknowledgement(outcome_texts.accepted(visit.language))
        case MessageTaken.NOT_TAKING:
            return acknowledgement(outcome_texts.not_taking(visit.language))
        case MessageTaken.DEAD_LINK:
            return acknowledgement(outcome_texts.dead_link(visit.language))
