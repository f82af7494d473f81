"""One update in: everything it causes is committed together with its receipt, or nothing is.

Webhook and polling share this path. Nothing is answered to Telegram before the commit, so whatever fails is
delivered again; an update that keeps failing by itself is sealed away so that the ones behind it are heard.
"""

import time
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import structlog
from django.db import Error as DatabaseError
from django.db import transaction

import accounts.services
from nekonymous_site import rate_limits
from nekonymous_site.bot import handler_registry, refusal_texts
from nekonymous_site.bot.answer_queue import queue_answer
from nekonymous_site.bot.incoming_json import UnusableUpdate, read_update
from nekonymous_site.bot.membership import take_membership
from nekonymous_site.bot.poison_updates import note_failure, will_pass
from nekonymous_site.bot.update_effects import (
    claim_new,
    first_contact,
    receive_person,
    take_persons_update,
)
from nekonymous_site.bot.update_models import Update
from nekonymous_site.bot.update_person import Person, find_person
from nekonymous_site.bot.visit import HandlerAnswer, acknowledgement, together
from nekonymous_site.crypto.errors import CryptoError
from nekonymous_site.duration_buckets import duration_bucket
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.rate_limits import Allowance, UpdateAllowance

log = structlog.get_logger("intake")

RETRY_AFTER_SECONDS: Final = 5


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
        if will_pass(error):
            return _postpone(error)
        log.exception("update_failed", error_class=type(error).__name__)
        return _take_failure(update, raw, error=error)
    log.info("update_taken", duration_bucket=duration_bucket(time.monotonic() - started))
    return answer


def _postpone(error: Exception) -> IntakeAnswer:
    log.warning("update_postponed", error_class=type(error).__name__)
    return IntakeAnswer(status=503, retry_after_seconds=RETRY_AFTER_SECONDS)


def _take(update: Update) -> IntakeAnswer:
    if update.my_chat_member is not None:
        take_membership(update.my_chat_member, claim=claim_new(update))
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
    answer = take_persons_update(
        update, person, claim=claim_new(update), may_send_first=allowance.first_message
    )
    if answer is None:
        rate_limits.give_back(person.actor_hash)  # a second copy is no second act
        return IntakeAnswer(status=200)
    return _answer_callback(update, answer)


def _take_nobodys(update: Update) -> IntakeAnswer:
    """Take what comes from a group, a channel or another bot: it changes nothing but its receipt."""
    with durable_transaction() as pipeline:
        claim_new(update).queue(pipeline)
    return IntakeAnswer(status=200, body={"ignored": "not_private"})


def _slow_down(update: Update, person: Person, *, is_told: bool) -> IntakeAnswer:
    """Drop what comes too fast. A tap is told each time, which costs nothing; a message once a window."""
    opens_something = handler_registry.opens_something(update)
    claim = claim_new(update)
    if opens_something or (update.message and not is_told):
        with durable_transaction() as pipeline:
            visit = receive_person(pipeline, update, person, claim=claim, may_send_first=False)
            if visit and opens_something:
                # The next message is meant for what has not been opened, and not for what is open still.
                accounts.services.queue_draft_closed(pipeline, owner=visit.actor.account_id)
            if visit and update.message and not is_told:
                warning = acknowledgement(refusal_texts.too_fast(visit.language))
                if visit.actor.is_new:
                    warning = together(first_contact(visit), warning)
                queue_answer(visit, warning, effect_key=claim.effect_key)
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


def _take_failure(update: Update, raw: bytes, *, error: Exception) -> IntakeAnswer:
    """Have a failure counted: once too often, and the update is done with and set aside."""
    try:
        is_parked = note_failure(update, raw, error=error)
    except (DatabaseError, CryptoError) as trouble:
        return _postpone(trouble)
    if is_parked:
        return IntakeAnswer(status=200)
    return IntakeAnswer(status=503, retry_after_seconds=RETRY_AFTER_SECONDS)
