"""Somebody blocks the bot or lets it in again. It is nothing that they say to it."""

import accounts.selectors
import accounts.services
import outbox.services
from nekonymous_site.bot.update_effects import Claim
from nekonymous_site.bot.update_models import BotMembership
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import AccountId, ChatId, TelegramUserId
from nekonymous_site.pipeline import StatementPipeline, durable_transaction


def take_membership(change: BotMembership, *, claim: Claim) -> bool:
    """Note in one transaction that a person can be reached no more, or again; False when it was noted before.

    Not counted against anybody's rate; no draft is closed by it and nothing that gathers is ended. Groups,
    channels and people without an account leave a receipt and nothing else.

    It comes in a queue of its own. A `kicked` that is older than a message which was taken before makes its
    person unreachable for a moment: the `member` that came between them follows in the same queue.
    """
    with durable_transaction() as pipeline:
        actor_hash = blind_tags.actor_hash(TelegramUserId(change.sender.id))
        if _is_private(change):
            # Before the receipt, in the order of every update of a person.
            accounts.services.queue_actor_lock(pipeline, actor_hash)
        is_new = claim.queue(pipeline)
        if _is_private(change) and is_new.value:
            known = accounts.selectors.queue_actor(pipeline, actor_hash).value
            if known is not None:
                _note_status(pipeline, change, account_id=known.account_id, is_late=claim.is_late)
    return is_new.value


def _is_private(change: BotMembership) -> bool:
    is_own_chat = change.chat.type == "private" and change.chat.id == change.sender.id
    return is_own_chat and not change.sender.is_bot


def _note_status(
    pipeline: StatementPipeline, change: BotMembership, *, account_id: AccountId, is_late: bool
) -> None:
    # A block that is replayed days later says nothing of today: whoever is still away is found out by a send.
    if change.new_chat_member.status == "kicked" and not is_late:
        accounts.services.queue_unreachable(pipeline, account_id)
    elif change.new_chat_member.status == "member":
        accounts.services.queue_reachable_again(pipeline, account_id)
        outbox.services.queue_lane_asked(pipeline, ChatId(change.chat.id))
