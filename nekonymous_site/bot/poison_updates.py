"""Updates that keep failing by themselves: counted, sealed away, and taken up again when asked for."""

from typing import Final

import structlog
from django.db import DataError, IntegrityError
from django.db import Error as DatabaseError

import accounts.selectors
import accounts.services
import outbox.parked_updates
import outbox.services
from nekonymous_site.bot import handler_registry, outcome_texts
from nekonymous_site.bot.answer_queue import queue_answer
from nekonymous_site.bot.bot_identity import BotNotIdentified
from nekonymous_site.bot.gathering import GatheringPostponed, TooMuchGathers
from nekonymous_site.bot.incoming_json import UnusableUpdate, read_update
from nekonymous_site.bot.membership import take_membership
from nekonymous_site.bot.operator_alerts import Alert, queue_alert
from nekonymous_site.bot.update_effects import Claim, claim_new, current_bot_id, take_persons_update
from nekonymous_site.bot.update_models import Update
from nekonymous_site.bot.update_person import Person, find_person
from nekonymous_site.bot.visit import Visit, acknowledgement
from nekonymous_site.crypto.errors import KeysNotConfigured, UnknownKeyId
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from outbox.errors import NotReplayed, WhyNotReplayed

log = structlog.get_logger("intake")

MOST_FAILURES: Final = 3
MOST_FAILURES_WITHOUT_KEY: Final = 120  # ten minutes, at the pace that is asked for


def will_pass(error: Exception) -> bool:
    """Tell trouble of ours that passes from what this update would bring about each time it comes."""
    is_ours = isinstance(
        error,
        DatabaseError | KeysNotConfigured | BotNotIdentified | GatheringPostponed | TooMuchGathers,
    )
    return is_ours and not isinstance(error, DataError | IntegrityError)


def note_failure(update: Update, raw: bytes, *, error: Exception) -> bool:
    """Count a failure apart from what it broke; true when it was one too many and the update is set aside.

    Raises DatabaseError and CryptoError; the failure may not have been counted then.
    """
    with durable_transaction() as pipeline:
        failures = outbox.services.queue_update_failed(
            pipeline, bot_id=current_bot_id(), update_id=update.update_id
        ).value
    if failures < _most_failures(error):
        return False
    _park(update, raw)
    return True


def replay_update(parked_id: bytes) -> None:
    """Take a parked update up again: it leaves its place in the transaction that does what it asks for.

    No rate applies, and what would answer its tap goes nowhere. May be repeated: of several only one has an
    effect. Raises NotReplayed where it is gone, does not open or fails again, and then it stays parked.
    """
    with durable_transaction() as pipeline:
        raw = outbox.parked_updates.open_parked(pipeline, parked_id)
    try:
        is_ours = _replay(raw, parked_id=parked_id)
    except Exception as error:
        # Like the outermost loop of intake: whatever it is that fails, the next update has to be heard.
        if will_pass(error):
            log.warning("replay_postponed", error_class=type(error).__name__)
            raise NotReplayed(WhyNotReplayed.POSTPONED) from None
        log.exception("replay_failed", error_class=type(error).__name__)
        missing_key = isinstance(error, UnknownKeyId)
        raise NotReplayed(
            WhyNotReplayed.KEY_MISSING if missing_key else WhyNotReplayed.FAILED_AGAIN
        ) from None
    if not is_ours:
        raise NotReplayed(WhyNotReplayed.GONE)


def _replay(raw: bytes, *, parked_id: bytes) -> bool:
    """Take an update whose receipt is there already, with its place among the parked ones for a claim.

    The apology stands under the name of the update, so its effect now needs another one.
    """
    claim = Claim(
        queue=lambda pipeline: outbox.parked_updates.queue_unparked(pipeline, parked_id),
        effect_key=b"replay" + parked_id,
        is_late=True,
    )
    try:
        update = read_update(raw)
    except UnusableUpdate:
        update = None  # nothing comes of it in this version
    if update is not None and update.my_chat_member is not None:
        return take_membership(update.my_chat_member, claim=claim)
    person = find_person(update) if update is not None else None
    if update is None or person is None:
        with durable_transaction() as pipeline:
            return claim.queue(pipeline).value
    return take_persons_update(update, person, claim=claim, may_send_first=True) is not None


def _most_failures(error: Exception) -> int:
    """Say how often an update may fail. A key may still come; the updates behind it cannot wait for ever."""
    return MOST_FAILURES_WITHOUT_KEY if isinstance(error, UnknownKeyId) else MOST_FAILURES


def _park(update: Update, raw: bytes) -> None:
    """Set a poison update aside together with its receipt, and tell whoever sent it, and the operator."""
    person = find_person(update)
    claim = claim_new(update)
    with durable_transaction() as pipeline:
        if not claim.queue(pipeline).value:
            return
        outbox.services.queue_update_parked(pipeline, raw)
        if person:
            _queue_apology(pipeline, person, update=update, effect_key=claim.effect_key)
        queue_alert(pipeline, Alert.UPDATE_PARKED)
    log.error("update_parked")


def _queue_apology(pipeline: StatementPipeline, person: Person, *, update: Update, effect_key: bytes) -> None:
    known = accounts.selectors.queue_actor(pipeline, person.actor_hash).value
    if known is not None:
        if handler_registry.opens_something(update):
            accounts.services.queue_draft_closed(pipeline, owner=known.account_id)
        visit = Visit(pipeline=pipeline, actor=known, chat_id=person.chat_id)
        apology = acknowledgement(outcome_texts.update_parked(known.language))
        queue_answer(visit, apology, effect_key=effect_key)
