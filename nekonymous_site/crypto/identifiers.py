"""Types of ids, tags, secrets and ciphertexts.

They cost nothing at run time; they let the type checker refuse a ticket hash where an account id belongs.
Sizes in bytes stand beside each name.
"""

from typing import NewType

AccountId = NewType("AccountId", bytes)  # 16, random, renewed by a hard reset
ActorHash = NewType("ActorHash", bytes)  # 32, stable over resets
TicketHash = NewType("TicketHash", bytes)  # 32

OwnerProof = NewType("OwnerProof", bytes)  # 32
WithdrawTag = NewType("WithdrawTag", bytes)  # 32
UnreadWithdrawTag = NewType("UnreadWithdrawTag", bytes)  # 32
UnreadDedupeTag = NewType("UnreadDedupeTag", bytes)  # 32
IntentTag = NewType("IntentTag", bytes)  # 32
LaneTag = NewType("LaneTag", bytes)  # 32
ContactTag = NewType("ContactTag", bytes)  # 32
BlockTag = NewType("BlockTag", bytes)  # 32
AbuseSubjectTag = NewType("AbuseSubjectTag", bytes)  # 32

LookupNonce = NewType("LookupNonce", bytes)  # 16, secret
KeySeed = NewType("KeySeed", bytes)  # 16, secret
WithdrawSecret = NewType("WithdrawSecret", bytes)  # 16, secret
ContactSalt = NewType("ContactSalt", bytes)  # 16, secret, an account's own

Envelope = NewType("Envelope", bytes)  # version, kid, nonce, ciphertext and its authenticator

ChatId = NewType("ChatId", int)
TelegramUserId = NewType("TelegramUserId", int)
KeyId = NewType("KeyId", int)  # 1-255, written `kid` in keys and envelopes

# The database driver may hand a stored value back as a memoryview.
StoredBytes = bytes | memoryview
