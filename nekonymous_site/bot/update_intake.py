"""One update in: everything it causes is committed together with its receipt, or nothing is.

Webhook and polling share this path. Nothing is answered to Telegram before the commit, so whatever fails is
delivered again; an update that keeps failing by itself is sealed away so that the ones behind it are heard.
"""

import time
from dataclasses import dataclass
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import DataError, IntegrityError
from django.db import Error as DatabaseError

import accounts.selectors
import accounts.services
import outbox.services
from nekonymous_site import rate_limits
from nekonymous_site.bot import (
    handler_registry,
    keyboards,
    outcome_texts,
    phrases,
    refusal_texts,
    screen_texts,
)
from nekonymous_site.bot.answer_queue import queue_answer
from nekonymous_site.bot.bot_identity import BotNotIdentified
from nekonymous_site.bot.gathering import end_gathering_of
from nekonymous_site.bot.handlers.compositions import add_to_gathering, belongs_to
from nekonymous_site.bot.incoming_json import UnusableUpdate, read_update
from nekonymous_site.bot.update_models import Message, Update
from nekonymous_site.bot.visit import HandlerAnswer, Visit, acknowledgement, screen, together
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.errors import CryptoError, EnvelopeUnreadable, KeysNotConfigured, UnknownKeyId
from nekonymous_site.crypto.identifiers import ActorHash, ChatId, TelegramUserId
from nekonymous_site.duration_buckets import duration_bucket
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.rate_limits import UpdateAllowance
from nekonymous_site.workflows.compositions import Composition, Stage, find_composition
from nekonymous_site.workflows.register_actor import note_return, register_actor

log = structlog.get_logger("intake")

RETRY_AFTER_SECONDS: Final = 5
MOST_FAILURES: Final = 3
MOST_FAILURES_WITHOUT_KEY: Final = 120  # ten minutes, at the pace that is asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeAnswer:
    """What Telegram is answered. A body with a `method` is only ever an answerCallbackQuery of our own."""

    status: int
    body: dict[str, Any] | None = None
    retry_after_seconds: int | None = None


class _SomethingGathers(Exception):
    """What somebody sent before is still gathering and has to be ended first; nothing is committed."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Person:
    actor_hash: ActorHash
    chat_id: ChatId
    language: str


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
    is_ours = isinstance(error, DatabaseError | KeysNotConfigured | BotNotIdentified)
    return is_ours and not isinstance(error, DataError | IntegrityError)


def _most_failures(error: Exception) -> int:
    """Say how often an update may fail. A key may still come; the updates behind it cannot wait for ever."""
    return MOST_FAILURES_WITHOUT_KEY if isinstance(error, UnknownKeyId) else MOST_FAILURES


def _postpone(error: Exception) -> IntakeAnswer:
    log.warning("update_postponed", error_class=type(error).__name__)
    return IntakeAnswer(status=503, retry_after_seconds=RETRY_AFTER_SECONDS)


def _take(update: Update) -> IntakeAnswer:
    person = _find_person(update)
    if person is None:
        return _take_nobodys(update)
    allowance = rate_limits.take_allowance(person.actor_hash)
    if allowance.update is not UpdateAllowance.ALLOWED:
        return _slow_down(update, person, is_told=allowance.update is UpdateAllowance.TOO_FAST_TOLD)
    try:
        return _take_persons(update, person, may_send_first=allowance.first_message)
    except _SomethingGathers:
        # In a transaction of its own: two messages would need two inboxes' locks.
        end_gathering_of(person.actor_hash)
        return _take_persons(update, person, may_send_first=allowance.first_message)


def _take_nobodys(update: Update) -> IntakeAnswer:
    """Take what comes from a group, a channel or another bot: it changes nothing but its receipt."""
    with durable_transaction() as pipeline:
        outbox.services.queue_receipt(pipeline, bot_id=_bot_id(), update_id=update.update_id)
    return IntakeAnswer(status=200, body={"ignored": "not_private"})


def _take_persons(update: Update, person: _Person, *, may_send_first: bool) -> IntakeAnswer:
    with durable_transaction() as pipeline:
        visit = _receive(pipeline, update, person, may_send_first=may_send_first)
        if visit is None:
            return IntakeAnswer(status=200)
        answer = _answer(visit, update)
        if visit.actor.is_new:
            answer = together(_first_contact(visit), answer)
        note_return(pipeline, visit.actor)
        queue_answer(visit, answer, effect_key=_effect_key(update.update_id))
    return _answer_callback(update, answer)


def _receive(
    pipeline: StatementPipeline, update: Update, person: _Person, *, may_send_first: bool
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
    return Visit(pipeline=pipeline, actor=actor, chat_id=person.chat_id, may_send_first=may_send_first)


def _answer(visit: Visit, update: Update) -> HandlerAnswer:
    try:
        composition = find_composition(visit.actor)
    except EnvelopeUnreadable:
        raise _SomethingGathers from None
    if composition is not None and composition.stage is Stage.GATHERING:
        if update.message is None or not _continues(visit, composition, update.message):
            raise _SomethingGathers
        return add_to_gathering(visit, composition, update.message)
    if update.message:
        return handler_registry.answer_private_message(visit, update.message)
    if update.callback_query:
        return handler_registry.answer_tap(visit, update.callback_query)
    return HandlerAnswer()


def _continues(visit: Visit, composition: Composition, message: Message) -> bool:
    """Tell whether a message is one more of those that gather, and not the next thing a person does."""
    if not visit.actor.composition_is_open or handler_registry.is_navigation(message):
        return False
    return belongs_to(composition, message)


def _first_contact(visit: Visit) -> HandlerAnswer:
    text = screen_texts.first_contact(visit.language, contact=settings.NEKO.contact)
    return screen(text, keyboard=keyboards.menu_keyboard(visit.language))


def _slow_down(update: Update, person: _Person, *, is_told: bool) -> IntakeAnswer:
    """Drop what comes too fast. A tap is told each time, which costs nothing; a message once a window."""
    if update.callback_query is not None:
        toast = HandlerAnswer(toast=refusal_texts.too_fast(person.language))
        return _answer_callback(update, toast)
    if not is_told:
        with durable_transaction() as pipeline:
            visit = _receive(pipeline, update, person, may_send_first=False)
            if visit is not None:
                warning = acknowledgement(refusal_texts.too_fast(visit.language))
                queue_answer(visit, warning, effect_key=_effect_key(update.update_id))
    return IntakeAnswer(status=200)


def _answer_callback(update: Update, answer: HandlerAnswer) -> IntakeAnswer:
    if update.callback_query is None:
        return IntakeAnswer(status=200)
    body: dict[str, Any] = {
        "method": "answerCallbackQuery",
        "callback_query_id": update.callback_query.id,
    }
    return IntakeAnswer(status=200, body=body | ({"text": answer.toast} if answer.toast else {}))


def _find_person(update: Update) -> _Person | None:
    """Find who is speaking in their own private chat; groups, channels and other bots are nobody."""
    tap = update.callback_query
    sender = update.message.sender if update.message else tap.sender if tap else None
    place = update.message or (tap.message if tap else None)
    if sender is None or sender.is_bot or place is None:
        return None
    if place.chat.type != "private" or place.chat.id != sender.id:
        return None
    return _Person(
        actor_hash=blind_tags.actor_hash(TelegramUserId(sender.id)),
        chat_id=ChatId(sender.id),
        language=phrases.choose_language(sender.language_code, default=settings.NEKO.default_language),
    )


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
    person = _find_person(update)
    with durable_transaction() as pipeline:
        is_new = outbox.services.queue_receipt(pipeline, bot_id=_bot_id(), update_id=update.update_id)
        if not is_new.value:
            return
        outbox.services.queue_update_parked(pipeline, raw)
        if person:
            _queue_apology(pipeline, person, update_id=update.update_id)
    log.error("update_parked")


def _queue_apology(pipeline: StatementPipeline, person: _Person, *, update_id: int) -> None:
    known = accounts.selectors.queue_actor(pipeline, person.actor_hash).value
    if known is not None:
        visit = Visit(pipeline=pipeline, actor=known, chat_id=person.chat_id)
        apology = acknowledgement(outcome_texts.update_parked(known.language))
        queue_answer(visit, apology, effect_key=_effect_key(update_id))


def _effect_key(update_id: int) -> bytes:
    return _bot_id().to_bytes(8, "big") + update_id.to_bytes(8, "big")


def _bot_id() -> int:
    bot_id = settings.NEKO.bot_id
    if bot_id is None:
        raise BotNotIdentified
    return bot_id
