"""The reply button, and Telegram's own reply gesture on a delivered message."""

from nekonymous_site.bot import callback_data, outcome_texts
from nekonymous_site.bot.visit import HandlerAnswer, Visit, acknowledgement, prompt
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.workflows.reply_to_ticket import ReplyTaken, open_reply, send_reply
from nekonymous_site.workflows.ticket_content import MessageContent


def answer_reply_tap(visit: Visit, data: str) -> HandlerAnswer:
    """Open a reply draft for the message under whose button somebody tapped."""
    capability = callback_data.read_capability(data, prefix=callback_data.REPLY)
    if capability is None or not open_reply(visit.pipeline, capability, actor=visit.actor):
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    return prompt(outcome_texts.reply_prompt(visit.language))


def answer_reply_text(
    visit: Visit, content: MessageContent, *, capability: Capability, message_id: int
) -> HandlerAnswer:
    """Send an answer and say what became of it."""
    outcome = send_reply(
        visit.pipeline,
        content,
        capability=capability,
        sender=visit.actor,
        chat_id=visit.chat_id,
        message_id=message_id,
    )
    match outcome:
        case ReplyTaken.ACCEPTED:
            return acknowledgement(outcome_texts.accepted(visit.language))
        case ReplyTaken.NOT_TAKING:
            return acknowledgement(outcome_texts.not_taking(visit.language))
        case ReplyTaken.BUTTON_DEAD:
            return acknowledgement(outcome_texts.button_dead(visit.language))
