"""The buttons under an acknowledgement: take the message back, write another one."""

from nekonymous_site.bot import callback_data, outcome_texts
from nekonymous_site.bot.handlers.start import answer_slug
from nekonymous_site.bot.keyboards import withdrawn_keyboard
from nekonymous_site.bot.update_models import TappedMessage
from nekonymous_site.bot.visit import HandlerAnswer, Visit, edited_screen
from nekonymous_site.workflows.withdraw_message import withdraw_message


def answer_withdraw(visit: Visit, data: str, *, tapped: TappedMessage) -> HandlerAnswer:
    """Take a message back, with one and the same answer whatever came of it: it must be no read receipt."""
    token = callback_data.read_token(data)
    if token is not None:
        withdraw_message(visit.pipeline, token, sender=visit.actor)
    answer = outcome_texts.withdraw_answer(visit.language)
    again = callback_data.find_again(tapped.reply_markup)
    keyboard = withdrawn_keyboard(again, language=visit.language)
    return edited_screen(answer, message_id=tapped.message_id, keyboard=keyboard, toast=answer)


def answer_write_again(visit: Visit, data: str) -> HandlerAnswer:
    """Open the same link once more."""
    return answer_slug(visit, data.removeprefix(callback_data.WRITE_AGAIN))
