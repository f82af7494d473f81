"""The reply button under a delivered message."""

from accounts.drafts import ReplyDraft
from nekonymous_site.bot import callback_data, keyboards, outcome_texts
from nekonymous_site.bot.handlers.destination import prompt_key
from nekonymous_site.bot.update_models import TappedMessage
from nekonymous_site.bot.visit import HandlerAnswer, Visit, prompt
from nekonymous_site.workflows.reply_to_ticket import open_reply


def answer_reply_tap(visit: Visit, data: str, *, tapped: TappedMessage) -> HandlerAnswer:
    """Open a reply draft for the message under whose button somebody tapped."""
    capability = callback_data.read_capability(data)
    opened = open_reply(visit.pipeline, capability, actor=visit.actor) if capability else None
    if capability is None or opened is None:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    text = outcome_texts.reply_prompt(visit.language, nickname=opened.nickname)
    draft = ReplyDraft(capability=capability)
    keyboard = keyboards.prompt_keyboard(prompt_key(draft), language=visit.language)
    return prompt(text, keyboard=keyboard, reply_to=tapped.message_id)
