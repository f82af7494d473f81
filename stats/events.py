"""What is counted. An event says that something happened on a day, and never to whom."""

from enum import StrEnum


class StatEvent(StrEnum):
    ACCOUNT_CREATED = "account_created"
    MESSAGE_ACCEPTED = "message_accepted"
    REPLY_ACCEPTED = "reply_accepted"
    MESSAGE_REFUSED = "message_refused"
    MESSAGE_DELIVERED = "message_delivered"
    MESSAGE_WITHDRAWN = "message_withdrawn"
    SENDER_BLOCKED = "sender_blocked"
    SENDER_UNBLOCKED = "sender_unblocked"
    NICKNAME_SET = "nickname_set"
    INBOX_OPENED = "inbox_opened"
