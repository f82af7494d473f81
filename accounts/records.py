"""What the accounts plane seals: one record kind per column, padded to one size of its kind.

Only a composition grows, in steps: a whole pasted text lies in it for two seconds, or for a day at most.
"""

from nekonymous_site.crypto.sealed_envelope import RecordKind

CHAT_ROUTE = RecordKind(domain="accounts:chat-route", padded_bytes=32)
CONTACT_SALT = RecordKind(domain="accounts:contact-salt", padded_bytes=32)
DRAFT = RecordKind(domain="accounts:draft", padded_bytes=512)
UNREAD_CAPABILITY = RecordKind(domain="accounts:unread-capability", padded_bytes=64)
DISPLAY_NAME = RecordKind(domain="accounts:display-name", padded_bytes=1024)
NICKNAME = RecordKind(domain="accounts:nickname", padded_bytes=512)
BLOCK_NOTE = RecordKind(domain="accounts:block-note", padded_bytes=256)
COMPOSITION = RecordKind(domain="accounts:composition", padded_bytes=2048, grows=True)
