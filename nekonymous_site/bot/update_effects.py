"""The effect of one person's update, in the one transaction that may have it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.conf import settings

import accounts.selectors
import accounts.services
import outbox.services
from nekonymous_site.bot import handler_registry, keyboards, screen_texts
from nekonymous_site.bot.answer_queue import queue_answer
from nekonymous_site.bot.bot_identity import BotNotIdentified
from nekonymous_site.bot.gathering import SomethingGathers, TooMuchGathers, end_gathering_of
from nekonymous_site.bot.handlers.cancel import is_way_out
from nekonymous_site.bot.handlers.compositions import add_to_gathering, belongs_to, is_first_of_several
from nekonymous_site.bot.update_models import Message, Update
from nekonymous_site.bot.update_person import Person
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen, together
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.failpoints import Entry
from nekonymous_site.pipeline import Answer, StatementPipeline, durable_transaction
from nekonymous_site.workflows.compositions import Composition, find_gathering
from nekonymous_site.workflows.register_actor import note_return, register_actor

MOST_GATHERINGS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What lets one transaction have the effect of an update, and no other.

    `queue` says whether it is this one; `effect_key` names what becomes visible of it. What an update opens
    that `is_late` is opened now and not when it was written: words of the meantime were not for it.
    """

    queue: Callable[[StatementPipeline], Answer[bool]]
    effect_key: bytes
    is_late: bool = False


def claim_new(update: Update) -> Claim:
    """Claim an update as it comes in, by its receipt."""
    bot_id, update_id = current_bot_id(), update.update_id
    return Claim(
        queue=partial(outbox.services.queue_receipt, bot_id=bot_id, update_id=update_id),
        effect_key=bot_id.to_bytes(8, "big") + update_id.to_bytes(8, "big"),
    )


def take_persons_update(
    update: Update, person: Person, *, claim: Claim, may_send_first: bool
) -> HandlerAnswer | None:
    """Do all that an update of somebody's asks for, together with its claim; None when it is another's.

    Ends what they have gathered before where the update does not belong to it, in a transaction of its own.
    """
    for _ in range(MOST_GATHERINGS):
        try:
            return _take_once(update, person, claim=claim, may_send_first=may_send_first)
        except SomethingGathers as first:
            # In a transaction of its own: two messages would need two inboxes' locks.
            end_gathering_of(person.actor_hash, composition_id=first.composition_id)
    raise TooMuchGathers


def receive_person(
    pipeline: StatementPipeline, update: Update, person: Person, *, claim: Claim, may_send_first: bool
) -> Visit | None:
    """Lock the actor, claim the update and know the person; None when the update has been taken before."""
    accounts.services.queue_actor_lock(pipeline, person.actor_hash)
    is_ours = claim.queue(pipeline)
    known = accounts.selectors.queue_actor(pipeline, person.actor_hash)
    if not is_ours.value:
        return None
    actor = register_actor(
        pipeline,
        known.value,
        actor_hash=person.actor_hash,
        chat_id=person.chat_id,
        language=person.language,
    )
    return Visit(
        pipeline=pipeline,
        actor=actor,
        chat_id=person.chat_id,
        may_send_first=may_send_first,
        written_at=update.message.date if update.message and not claim.is_late else None,
    )


def first_contact(visit: Visit) -> HandlerAnswer:
    """Say what this is to whoever comes for the first time."""
    text = screen_texts.first_contact(visit.language, contact=settings.NEKO.contact)
    return screen(text, keyboard=keyboards.menu_keyboard(visit.language))


def current_bot_id() -> int:
    """Give this bot's id; raises BotNotIdentified where no token says it."""
    bot_id = settings.NEKO.bot_id
    if bot_id is None:
        raise BotNotIdentified
    return bot_id


def _take_once(update: Update, person: Person, *, claim: Claim, may_send_first: bool) -> HandlerAnswer | None:
    with durable_transaction(Entry.INTAKE) as pipeline:
        visit = receive_person(pipeline, update, person, claim=claim, may_send_first=may_send_first)
        if visit is None:
            return None
        answer = _answer(visit, update)
        if visit.actor.is_new:
            answer = together(first_contact(visit), answer)
        note_return(pipeline, visit.actor)
        queue_answer(visit, answer, effect_key=claim.effect_key)
    return answer


def _answer(visit: Visit, update: Update) -> HandlerAnswer:
    gathering = visit.actor.gathering
    if gathering is not None and not _is_cancelled(visit, update):
        composition = _find_continued(visit, update.message) if update.message else None
        if composition is None or update.message is None:
            raise SomethingGathers(gathering.composition_id)
        return add_to_gathering(visit, composition, update.message)
    if update.message:
        return handler_registry.answer_private_message(visit, update.message)
    if update.callback_query:
        return handler_registry.answer_tap(visit, update.callback_query)
    return HandlerAnswer()


def _is_cancelled(visit: Visit, update: Update) -> bool:
    """Tell whether somebody stops what gathers: it is thrown away by the handler, and not sent."""
    if update.message is not None:
        return handler_registry.is_cancel(update.message)
    return update.callback_query is not None and is_way_out(visit, update.callback_query.data or "")


def _find_continued(visit: Visit, message: Message) -> Composition | None:
    """Find what gathers if a message is one more of it, and not the next thing that a person does."""
    if visit.actor.gathering is None or visit.actor.gathering.is_ready:
        return None
    if handler_registry.is_navigation(message) and not is_first_of_several(message):
        return None  # a long part that begins with a slash is no command
    try:
        composition = find_gathering(visit.actor)
    except EnvelopeUnreadable:
        return None
    return composition if composition and belongs_to(visit, composition, message) else None
