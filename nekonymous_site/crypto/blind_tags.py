"""Blind tags: keyed one-way values under which rows are found without naming anybody.

Each is HMAC-SHA256 under the process pepper over its domain and fields, every one length-prefixed. A function
per tag keeps domains apart and field order in one place. A field that came back from the database as a
memoryview gives the same tag as its bytes.
"""

import hmac

from nekonymous_site.crypto import process_keys
from nekonymous_site.crypto.byte_framing import length_prefixed
from nekonymous_site.crypto.identifiers import (
    AbuseSubjectTag,
    AccountId,
    ActorHash,
    BlockTag,
    ChatId,
    ContactSalt,
    ContactTag,
    IntentTag,
    KeySeed,
    LaneTag,
    LookupNonce,
    OwnerProof,
    StoredBytes,
    TelegramUserId,
    TicketHash,
    UnreadDedupeTag,
    UnreadWithdrawTag,
    WithdrawSecret,
    WithdrawTag,
)


def tag(domain: str, *fields: StoredBytes) -> bytes:
    """Return the 32-byte tag of `fields` in `domain` under the pepper of this process."""
    message = length_prefixed(domain.encode(), *fields)
    return hmac.digest(process_keys.current().pepper, message, "sha256")


def tags_match(first: StoredBytes, second: StoredBytes) -> bool:
    """Compare two tags in a time that does not tell where they differ."""
    return hmac.compare_digest(first, second)


def actor_hash(user_id: TelegramUserId) -> ActorHash:
    """Name a person without their Telegram id; stable over account resets."""
    return ActorHash(tag("actor", _integer_field(user_id)))


def ticket_hash(lookup_nonce: LookupNonce) -> TicketHash:
    """Name a ticket: the first half of its capability finds the row, the second opens it."""
    return TicketHash(tag("ticket:lookup", lookup_nonce))


def owner_proof(
    *, actor_hash: ActorHash, account_id: AccountId, ticket_hash: TicketHash, key_seed: KeySeed
) -> OwnerProof:
    """Prove that a recipient owns a ticket; dies with the account, cannot be tried without the key seed."""
    return OwnerProof(tag("ticket:owner", actor_hash, account_id, ticket_hash, key_seed))


def withdraw_tag(
    *, withdraw_secret: WithdrawSecret, actor_hash: ActorHash, ticket_hash: TicketHash
) -> WithdrawTag:
    """Let exactly the sender who holds the token withdraw a ticket."""
    return WithdrawTag(tag("ticket:withdraw", withdraw_secret, actor_hash, ticket_hash))


def unread_withdraw_tag(withdraw_secret: WithdrawSecret) -> UnreadWithdrawTag:
    """Find the unread row from the sender's token without knowing the recipient."""
    return UnreadWithdrawTag(tag("unread:withdraw", withdraw_secret))


def unread_dedupe_tag(
    *, account_id: AccountId, ticket_hash: TicketHash, key_seed: KeySeed
) -> UnreadDedupeTag:
    """Keep a retry from adding a second unread row."""
    return UnreadDedupeTag(tag("unread:dedupe", account_id, ticket_hash, key_seed))


def contact_tag(
    *, recipient_salt: ContactSalt, recipient_account_id: AccountId, sender_account_id: AccountId
) -> ContactTag:
    """Name a sender to one recipient (nicknames); ends when either of them resets.

    The salt lies sealed in the recipient's account: without the master keys nobody can try who it is.
    """
    return ContactTag(tag("contact", recipient_salt, recipient_account_id, sender_account_id))


def block_tag(
    *, recipient_salt: ContactSalt, recipient_account_id: AccountId, sender_actor_hash: ActorHash
) -> BlockTag:
    """Name a blocked sender; outlives the sender's reset, ends with the recipient's. Salted as a contact."""
    return BlockTag(tag("block", recipient_salt, recipient_account_id, sender_actor_hash))


def abuse_subject_tag(sender_actor_hash: ActorHash) -> AbuseSubjectTag:
    """Name the subject of sanctions, which survive a reset."""
    return AbuseSubjectTag(tag("abuse:subject", sender_actor_hash))


def intent_tag(kind: str, *natural_key: StoredBytes) -> IntentTag:
    """Give one logical effect one name, so that asking twice does it once."""
    return IntentTag(tag("intent", kind.encode(), *natural_key))


def lane_tag(chat_id: ChatId) -> LaneTag:
    """Name the delivery lane of a chat."""
    return LaneTag(tag("lane", _integer_field(chat_id)))


def _integer_field(value: int) -> bytes:
    # Decimal text has no upper bound to overflow and one form per number.
    return str(value).encode("ascii")
