"""Know whoever writes to the bot, from their first word on."""

import accounts.services
import stats.services
from accounts.preferences import DEFAULT_TIME_ZONE, TIME_ZONE_OF_LANGUAGE
from accounts.selectors import Actor
from nekonymous_site.crypto.identifiers import ActorHash, ChatId
from nekonymous_site.pipeline import StatementPipeline
from stats.events import StatEvent


def register_actor(
    pipeline: StatementPipeline, known: Actor | None, *, actor_hash: ActorHash, chat_id: ChatId, language: str
) -> Actor:
    """Make an account with its first link for a newcomer; a known actor is given back as they are.

    Needs the actor's lock. `chat_id` must be a private chat's: a group must never become somebody's route.
    """
    if known is None:
        made = accounts.services.create_account(
            pipeline, actor_hash=actor_hash, chat_id=chat_id, language=language
        )
        stats.services.queue_event(pipeline, StatEvent.ACCOUNT_CREATED)
        return Actor(
            account_id=made.account_id,
            actor_hash=actor_hash,
            language=language,
            time_zone=TIME_ZONE_OF_LANGUAGE.get(language, DEFAULT_TIME_ZONE),
            reachable=True,
            salt_envelope=made.salt_envelope,
            draft_envelope=None,
            is_new=True,
        )
    return known


def note_return(pipeline: StatementPipeline, actor: Actor) -> None:
    """Let an actor who could not be reached be reached again, and what waits for them be announced.

    Locks their waiting rows without their inbox's lock. So it comes behind everything that may wait for a
    drain, which holds the request first and the rows after it, and before the first intent.
    """
    if not actor.reachable:
        accounts.services.queue_reachable_again(pipeline, actor.account_id)
