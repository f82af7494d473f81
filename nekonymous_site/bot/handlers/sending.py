"""What a person sends, once it is whole: a question about the names on it first, else the ticket itself."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings

from accounts.drafts import ComposeDraft, MessageDraft
from nekonymous_site.bot import keyboards, outcome_texts, refusal_texts
from nekonymous_site.bot.message_content import ReadContent
from nekonymous_site.bot.visit import HandlerAnswer, Visit, acknowledgement, question
from nekonymous_site.workflows.compositions import Composition, keep_asked
from nekonymous_site.workflows.enter_inbox import Accepted, Taken
from nekonymous_site.workflows.inbox_gates import RefusalReason, Refused
from nekonymous_site.workflows.seal_message import Origin
from nekonymous_site.workflows.send_message import send_message


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Way:
    """Where a message goes, whether a reply gesture said so, and which message of the sender it is."""

    destination: MessageDraft
    by_gesture: bool
    message_id: int


def answer_content(visit: Visit, content: ReadContent, *, way: Way) -> HandlerAnswer:
    """Send one message, or ask first when Telegram keeps names on it."""
    composition = compose(visit, content, way=way)
    if composition.is_too_long:
        return acknowledgement(refusal_texts.too_long(visit.language))
    return ask_or_send(visit, composition)


def compose(visit: Visit, content: ReadContent, *, way: Way, album: str | None = None) -> Composition:
    """Begin a composition with one message."""
    return Composition.begin(
        destination=way.destination,
        by_gesture=way.by_gesture,
        message_id=way.message_id,
        items=content.items,
        names=content.names,
        album=album,
        may_send_first=visit.may_send_first,
    )


def ask_or_send(visit: Visit, composition: Composition) -> HandlerAnswer:
    """Send what is whole, unless its sender has to be asked about the names on it."""
    return _ask(visit, composition) if composition.names else send_composition(visit, composition)


def send_composition(visit: Visit, composition: Composition) -> HandlerAnswer:
    """Send what has been composed, and say what became of it."""
    taken = send_message(
        visit.pipeline,
        composition.content,
        destination=composition.destination,
        sender=visit.actor,
        origin=Origin(chat_id=visit.chat_id, message_id=composition.message_id),
        may_send_first=visit.may_send_first,
    )
    return _answer_taken(visit, taken, composition=composition)


def _ask(visit: Visit, composition: Composition) -> HandlerAnswer:
    """Keep a composition until its sender has said yes or no to the names on it."""
    if not keep_asked(visit.pipeline, composition, owner=visit.actor):
        return acknowledgement(refusal_texts.too_many_questions(visit.language))
    return question(
        refusal_texts.revealing_question(visit.language, names=composition.names),
        keyboard=keyboards.question_keyboard(composition.composition_id, language=visit.language),
        reply_to=composition.message_id,
    )


def _answer_taken(visit: Visit, taken: Taken, *, composition: Composition) -> HandlerAnswer:
    match taken:
        case Accepted():
            is_first = isinstance(composition.destination, ComposeDraft)
            text = outcome_texts.accepted if is_first else outcome_texts.reply_accepted
            keyboard = keyboards.accepted_keyboard(
                taken.withdraw_token, language=visit.language, destination=composition.destination
            )
            return acknowledgement(
                text(visit.language),
                keyboard=keyboard,
                reply_to=composition.message_id,
                sent_first=is_first,
            )
        case Refused():
            is_open = visit.actor.draft() == composition.destination
            refusal = refusal_text(visit, taken, draft_open=is_open)
            return acknowledgement(refusal, reply_to=composition.message_id)


def refusal_text(visit: Visit, refused: Refused, *, draft_open: bool) -> str:
    """Say why a message was not accepted; the neutral refusal is one text whatever is behind it."""
    language, contact = visit.language, settings.NEKO.contact
    match refused:
        case Refused(why=RefusalReason.KIND_REFUSED, kind=kind) if kind is not None:
            return refusal_texts.kind_refused(language, kind=kind, draft_open=draft_open)
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
