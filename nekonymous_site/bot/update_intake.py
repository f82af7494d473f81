"""One update in: everything it causes is committed together with its receipt, or nothing is.

Webhook and polling share this path. Nothing is answered to Telegram before the commit, so whatever fails is
delivered again; an update that keeps failing by itself is sealed away so that the ones behind it are heard.
"""

import time
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from django.db import Error as DatabaseError

import accounts.selectors
import accounts.services
import outbox.services
from nekonymous_site import rate_limits
from nekonymous_site.bot import (
    handler_registry,
    keyboards,
    outcome_texts,
    refusal_texts,
    screen_texts,
)
from nekonymous_site.bot.answer_queue import queue_answer
from nekonymous_site.bot.bot_identity import BotNotIdentified
from nekonymous_site.bot.gathering import (
    GatheringPostponed,
    SomethingGathers,
    TooMuchGathers,
    end_gathering_of,
)
from nekonymous_site.bot.handlers.cancel import is_way_out
from nekonymous_site.bot.handlers.compositions import add_to_gathering, belongs_to, is_first_of_several
from nekonymous_site.bot.incoming_json import UnusableUpdate, read_update
from nekonymous_site.bot.membership import take_membership
from nekonymous_site.bot.update_models import Message, Update
from nekonymous_site.bot.update_person import Person, find_person
from nekonymous_site.bot.visit import HandlerAnswer, Visit, acknowledgement, screen, together
from nekonymous_site.crypto.errors import CryptoError, EnvelopeUnreadable, KeysNotConfigured, UnknownKeyId
from nekonymous_site.duration_buckets import duration_bucket
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.rate_limits import Allowance, UpdateAllowance
from nekonymous_site.workflows.compositions import Composition, find_gathering
from nekonymous_site.workflows.register_actor import note_return, register_actor

log = structlog.get_logger("intake")

RETRY_AFTER_SECONDS: Final = 5
MOST_FAILURES: Final = 3
MOST_GATHERINGS: Final = 3
MOST_FAILURES_WITHOUT_KEY: Final = 120  # ten minutes, at the pace that is asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeAnswer:
    """What Telegram is answered. A body with a `method` is only ever an answerCallbackQuery of our own."""

    status: int
    body: dict[str, Any] | None = None
    retry_after_seconds: int | None = None


def take_update(raw: bytes) -> IntakeAnswer:
    """Take one update, whatever is in it. May be repeated: a second copy changes nothing.

    Answers 200 when the update is done with, for good or as unusable, and 503 when it must come again.
    Never raises for anything in the update, the database or the keys.
    """
    started = time.monotonic()
    try:
        update = read_update(raw)
    except UnusableUpdate as reason:
        log.info("update_ignored", status=str(reason))
        return IntakeAnswer(status=200, body={"ignored": str(reason)})
    try:
        answer = _take(update)
    except Exception as error:
        # The outermost loop of intake: a mistake of ours must not make Telegram repeat an update for ever.
        if _will_pass(error):
            return _postpone(error)
        log.exception("update_failed", error_class=type(error).__name__)
        return _take_failure(update, raw, most=_most_failures(error))
    log.info("update_taken", duration_bucket=duration_bucket(time.monotonic() - started))
    return answer


def _will_pass(error: Exception) -> bool:
    """Tell trouble of ours that passes from what this update would bring about each time it comes."""
    is_ours = isinstance(
        error,
        DatabaseError | KeysNotConfigured | BotNotIdentified | GatheringPostponed | TooMuchGathers,
    )
    return is_ours and not isinstance(error, DataError | IntegrityError)


def _most_failures(error: Exception) -> int:
    """Say how often an update may fail. A key may still come; the updates behind it cannot wait for ever."""
    return MOST_FAILURES_WITHOUT_KEY if isinstance(error, UnknownKeyId) else MOST_FAILURES


def _postpone(error: Exception) -> IntakeAnswer:
    log.warning("update_postponed", error_class=type(error).__name__)
    return IntakeAnswer(status=503, retry_after_seconds=RETRY_AFTER_SECONDS)


def _take(update: Update) -> IntakeAnswer:
    if update.my_chat_member is not None:
        take_membership(update.my_chat_member, bot_id=_bot_id(), update_id=update.update_id)
        return IntakeAnswer(status=200)
    person = find_person(update)
    if person is None:
        return _take_nobodys(update)
    allowance = rate_limits.take_allowance(person.actor_hash)
    try:
        return _take_allowed(update, person, allowance=allowance)
    except Exception:
        rate_limits.give_back(person.actor_hash)  # what comes again must not count against its sender
        raise


def _take_allowed(update: Update, person: Person, *, allowance: Allowance) -> IntakeAnswer:
    may_continue = allowance.has_leeway and update.message and update.message.media_group_id
    if allowance.update is not UpdateAllowance.ALLOWED and not may_continue:
        return _slow_down(update, person, is_told=allowance.update is UpdateAllowance.TOO_FAST_TOLD)
    for _ in range(MOST_GATHERINGS):
        try:
            return _take_persons(update, person, may_send_first=allowance.first_message)
        except SomethingGathers as first:
            # In a transaction of its own: two messages would need two inboxes' locks.
            end_gathering_of(person.actor_hash, composition_id=first.composition_id)
    raise TooMuchGathers


def _take_nobodys(update: Update) -> IntakeAnswer:
    """Take what comes from a group, a channel or another bot: it changes nothing but its receipt."""
    with durable_transaction() as pipeline:
        outbox.services.queue_receipt(pipeline, bot_id=_bot_id(), update_id=update.update_id)
    return IntakeAnswer(status=200, body={"ignored": "not_private"})


def _take_persons(update: Update, person: Person, *, may_send_first: bool) -> IntakeAnswer:
    with durable_transaction() as pipeline:
        visit = _receive(pipeline, update, person, may_send_first=may_send_first)
        if visit is None:
            rate_limits.give_back(person.actor_hash)  # a second copy is no second act
            return IntakeAnswer(status=200)
        answer = _answer(visit, update)
        if visit.actor.is_new:
            answer = together(_first_contact(visit), answer)
        note_return(pipeline, visit.actor)
        queue_answer(visit, answer, effect_key=_effect_key(update.update_id))
    return _answer_callback(update, answer)


def _receive(
    pipeline: StatementPipeline, update: Update, person: Person, *, may_send_first: bool
) -> Visit | None:
    """Lock the actor, note the receipt and know the person; None when the update has been taken before."""
    accounts.services.queue_actor_lock(pipeline, person.actor_hash)
    is_new = outbox.services.queue_receipt(pipeline, bot_id=_bot_id(), update_id=update.update_id)
    known = accounts.selectors.queue_actor(pipeline, person.actor_hash)
    if not is_new.value:
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
        written_at=update.message.date if update.message else None,
    )


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


def _first_contact(visit: Visit) -> HandlerAnswer:
    text = screen_texts.first_contact(visit.language, contact=settings.NEKO.contact)
    return screen(text, keyboard=keyboards.menu_keyboard(visit.language))


def _slow_down(update: Update, person: Person, *, is_told: bool) -> IntakeAnswer:
    """Drop what comes too fast. A tap is told each time, which costs nothing; a message once a window."""
    opens_something = handler_registry.opens_something(update)
    if opens_something or (update.message and not is_told):
        with durable_transaction() as pipeline:
            visit = _receive(pipeline, update, person, may_send_first=False)
            if visit and opens_something:
                # The next message is meant for what has not been opened, and not for what is open still.
                accounts.services.queue_draft_closed(pipeline, owner=visit.actor.account_id)
            if visit and update.message and not is_told:
                warning = acknowledgement(refusal_texts.too_fast(visit.language))
                if visit.actor.is_new:
                    warning = together(_first_contact(visit), warning)
                queue_answer(visit, warning, effect_key=_effect_key(update.update_id))
                transaction.on_commit(partial(rate_limits.note_told, person.actor_hash))
    return _answer_callback(update, HandlerAnswer(toast=refusal_texts.too_fast(person.language)))


def _answer_callback(update: Update, answer: HandlerAnswer) -> IntakeAnswer:
    if update.callback_query is None:
        return IntakeAnswer(status=200)
    body: dict[str, Any] = {
        "method": "answerCallbackQuery",
        "callback_query_id": update.callback_query.id,
    }
    return IntakeAnswer(status=200, body=body | ({"text": answer.toast} if answer.toast else {}))


def _take_failure(update: Update, raw: bytes, *, most: int) -> IntakeAnswer:
    """Count the failure apart from what it broke; seal the update away when it has failed often enough."""
    try:
        with durable_transaction() as pipeline:
            failures = outbox.services.queue_update_failed(
                pipeline, bot_id=_bot_id(), update_id=update.update_id
            ).value
        if failures >= most:
            _park(update, raw)
            return IntakeAnswer(status=200)
    except (DatabaseError, CryptoError) as trouble:
        return _postpone(trouble)
    return IntakeAnswer(status=503, retry_after_seconds=RETRY_AFTER_SECONDS)


def _park(update: Update, raw: bytes) -> None:
    """Set a poison update aside together with its receipt, and tell whoever sent it."""
    person = find_person(update)
    with durable_transaction() as pipeline:
        is_new = outbox.services.queue_receipt(pipeline, bot_id=_bot_id(), update_id=update.update_id)
        if not is_new.value:
            return
        outbox.services.queue_update_parked(pipeline, raw)
        if person:
            _queue_apology(pipeline, person, update=update)
    log.error("update_parked")


def _queue_apology(pipeline: StatementPipeline, person: Person, *, update: Update) -> None:
    known = accounts.selectors.queue_actor(pipeline, person.actor_hash).value
    if known is not None:
        if handler_registry.opens_something(update):
            accounts.services.queue_draft_closed(pipeline, owner=known.account_id)
        visit = Visit(pipeline=pipeline, actor=known, chat_id=person.chat_id)
        apology = acknowledgement(outcome_texts.update_parked(known.language))
        queue_answer(visit, apology, effect_key=_effect_key(update.update_id))


def _effect_key(update_id: int) -> bytes:
    return _bot_id().to_bytes(8, "big") + update_id.to_bytes(8, "big")


def _bot_id() -> int:
    bot_id = settings.NEKO.bot_id
    if bot_id is None:
        raise BotNotIdentified
    return bot_id
