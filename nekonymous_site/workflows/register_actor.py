"""Know whoever writes to the bot, from their first word on."""

from dataclasses import replace

import accounts.services
from accounts.selectors import Actor
from nekonymous_site.crypto.identifiers import ActorHash, ChatId
from nekonymous_site.pipeline import StatementPipeline


def register_actor(
    pipeline: StatementPipeline, known: Actor | None, *, actor_hash: ActorHash, chat_id: ChatId, language: str
) -> Actor:
    """Make an account with its first link for a newcomer; let a returning one be reached again.

    Needs the actor's lock. `chat_id` must be a private chat's: a group must never become somebody's route.
    """
    if known is None:
        account_id = accounts.services.create_account(
            pipeline, actor_hash=actor_hash, chat_id=chat_id, language=language
        )
        return Actor(
            account_id=account_id,
            actor_hash=actor_hash,
            language=language,
            reachable=True,
            draft_envelope=None,
        )
    if not known.reachable:
        accounts.services.queue_reachable_again(pipeline, known.account_id)
        return replace(known, reachable=True)
    return known
