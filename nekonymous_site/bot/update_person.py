"""Who an update comes from: somebody in their own private chat, or nobody that concerns us."""

from dataclasses import dataclass

from django.conf import settings

from nekonymous_site.bot.phrases import choose_language
from nekonymous_site.bot.update_models import Update
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import ActorHash, ChatId, TelegramUserId


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Person:
    """Whoever wrote or tapped, and the language that Telegram tells of them."""

    actor_hash: ActorHash
    chat_id: ChatId
    language: str


def find_person(update: Update) -> Person | None:
    """Find who is speaking in their own private chat; groups, channels and other bots are nobody."""
    tap = update.callback_query
    sender = update.message.sender if update.message else tap.sender if tap else None
    place = update.message or (tap.message if tap else None)
    if sender is None or sender.is_bot or place is None:
        return None
    if place.chat.type != "private" or place.chat.id != sender.id:
        return None
    return Person(
        actor_hash=blind_tags.actor_hash(TelegramUserId(sender.id)),
        chat_id=ChatId(sender.id),
        language=choose_language(sender.language_code, default=settings.NEKO.default_language),
    )
