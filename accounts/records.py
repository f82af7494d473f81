"""What the accounts plane seals: one record kind per column, each padded to one size of its kind."""

from nekonymous_site.crypto.sealed_envelope import RecordKind

CHAT_ROUTE = RecordKind(domain="accounts:chat-route", padded_bytes=32)
DRAFT = RecordKind(domain="accounts:draft", padded_bytes=512)
UNREAD_CAPABILITY = RecordKind(domain="accounts:unread-capability", padded_bytes=64)
