"""What a person sends, once it is whole: a question about the names on it first, else the ticket itself."""

from dataclasses import replace
from typing import Final

from django.conf import settings

import accounts.compositions
from accounts.drafts import ComposeDraft, MessageDraft
from nekonymous_site.bot import keyboards, outcome_texts, refusal_texts
from nekonymous_site.bot.message_content import ReadContent
from nekonymous_site.bot.visit import HandlerAnswer, Visit, acknowledgement, prompt, screen
from nekonymous_site.workflows.compositions import (
    MOST_ITEMS,
    Composition,
    Stage,
    keep_composition,
)
from nekonymous_site.workflows.enter_inbox import Accepted, Taken
from nekonymous_site.workflows.inbox_gates import RefusalReason, Refused
from nekonymous_site.workflows.seal_message import Origin
from nekonymous_site.workflows.send_message import send_message
from nekonymous_site.workflows.ticket_content import MessageContent


def answer_content(
    visit: Visit, content: ReadContent, *, destination: MessageDraft, message_id: int
) -> HandlerAnswer:
    """Send one message, or ask first when Telegram keeps names on it."""
    names = [one.name for one in content.revealing]
    if len(content.items) > MOST_ITEMS:
        return screen(refusal_texts.too_long(visit.language))
    if names:
        asked = Composition.begin(
            Stage.ASKED,
            destination=destination,
            message_id=message_id,
            items=content.items,
            names=names,
            may_send_first=visit.may_send_first,
        )
        return ask_about_names(visit, asked)
    return send_and_answer(
        visit,
        MessageContent(items=content.items),
        destination=destination,
        origin=Origin(chat_id=visit.chat_id, message_id=message_id),
    )


def ask_about_names(visit: Visit, composition: Composition) -> HandlerAnswer:
    """Keep a composition until its sender has said yes or no to the names on it."""
    keep_composition(visit.pipeline, composition, owner=visit.actor)
    return prompt(
        refusal_texts.revealing_question(visit.language, names=composition.names),
        keyboard=keyboards.question_keyboard(composition.composition_id, language=visit.language),
    )


def send_composition(visit: Visit, composition: Composition) -> HandlerAnswer:
    """Send what has been composed, and say what became of it."""
    accounts.compositions.queue_composition_closed(visit.pipeline, visit.actor.account_id)
    return send_and_answer(
        replace(visit, may_send_first=visit.may_send_first and composition.may_send_first),
        composition.content,
        destination=composition.destination,
        origin=Origin(chat_id=visit.chat_id, message_id=composition.message_id),
    )


def send_and_answer(
    visit: Visit, content: MessageContent, *, destination: MessageDraft, origin: Origin
) -> HandlerAnswer:
    """Send, and say what became of it."""
    taken = send_message(
        visit.pipeline,
        content,
        destination=destination,
        sender=visit.actor,
        origin=origin,
        may_send_first=visit.may_send_first,
    )
    return _answer_taken(visit, taken, destination=destination)


def _answer_taken(visit: Visit, taken: Taken, *, destination: MessageDraft) -> HandlerAnswer:
    match taken:
        case Accepted():
            is_first = isinstance(destination, ComposeDraft)
            text = outcome_texts.accepted if is_first else outcome_texts.reply_accepted
            keyboard = keyboards.accepted_keyboard(
                taken.withdraw_token, language=visit.language, destination=destination
            )
            return acknowledgement(text(visit.language), keyboard=keyboard, sent_first=is_first)
        case Refused():
            return acknowledgement(refusal_text(visit, taken))


def refusal_text(visit: Visit, refused: Refused) -> str:
    """Say why a message was not accepted; the neutral refusal is one text whatever is behind it."""
    language, contact = visit.language, settings.NEKO.contact
    match refused:
        case Refused(why=RefusalReason.KIND_REFUSED, kind=kind) if kind is not None:
            return refusal_texts.kind_refused(language, kind=kind)
        case Refused(why=RefusalReason.SUSPENDED, until=until) if until is not None:
            zone = visit.actor.time_zone
            return refusal_texts.suspended(language, until=until, zone=zone, contact=contact)
        case Refused(why=RefusalReason.BANNED):
            return refusal_texts.banned(language, contact=contact)
        case _:
            return _PLAIN_REFUSALS.get(refused.why, outcome_texts.not_taking)(language)


_PLAIN_REFUSALS: Final = {
    RefusalReason.TOO_MANY_FIRST: refusal_texts.too_many_first,
    RefusalReason.DEAD_LINK: outcome_texts.dead_link,
    RefusalReason.TICKET_GONE: outcome_texts.button_dead,
}
