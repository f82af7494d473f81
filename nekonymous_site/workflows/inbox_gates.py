"""The gates that every message passes on its way into an inbox, in their order, as pure rules.

Paused, unreachable, blocked, full and gone give one and the same refusal, so that nobody learns from it who
blocked them or is away. What the sender may know about is told plainly: their own sanction, their own pace,
a link that is no more, a kind that this person does not take. The last comes before the neutral ones: told
only to whom an open inbox would be, it would show who is blocked, by messages that leave no trace.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Final

from accounts.preferences import ReceiveKind
from accounts.selectors import RecipientGate
from nekonymous_site.workflows.ticket_content import ContentItem, ContentKind
from safety.standing import Standing, SubjectStanding

_RECEIVE_KINDS: Final = {
    ContentKind.TEXT: ReceiveKind.TEXT,
    ContentKind.PHOTO: ReceiveKind.PHOTO,
    ContentKind.VIDEO: ReceiveKind.VIDEO,
    ContentKind.ANIMATION: ReceiveKind.VIDEO,
    ContentKind.DOCUMENT: ReceiveKind.DOCUMENT,
    ContentKind.AUDIO: ReceiveKind.DOCUMENT,
    ContentKind.VOICE: ReceiveKind.VOICE,
    ContentKind.VIDEO_NOTE: ReceiveKind.VOICE,
    ContentKind.STICKER: ReceiveKind.STICKER,
}


class RefusalReason(Enum):
    DEAD_LINK = auto()
    TICKET_GONE = auto()  # what is answered has expired or is not the sender's
    SUSPENDED = auto()
    BANNED = auto()
    TOO_MANY_FIRST = auto()
    NOT_TAKING = auto()  # the neutral one
    KIND_REFUSED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a message was not accepted: a suspension's end or the refused kind goes with it."""

    why: RefusalReason
    until: datetime | None = None
    kind: ReceiveKind | None = None

    @property
    def keeps_draft(self) -> bool:
        """Say whether the same draft may still lead to a message."""
        return self.why in (RefusalReason.KIND_REFUSED, RefusalReason.TOO_MANY_FIRST)


def judge(
    gate: RecipientGate | None,
    *,
    standing: SubjectStanding,
    items: Iterable[ContentItem],
    may_send_first: bool,
) -> RecipientGate | Refused:
    """Judge one message by everything that is known, gate by gate; gives the open gate or the refusal.

    `gate` is None when the recipient's account is gone.
    """
    if gate is not None and not gate.link_active:
        return Refused(why=RefusalReason.DEAD_LINK)
    sanction = find_sanction(standing)
    if sanction is not None:
        return sanction
    if not may_send_first:
        return Refused(why=RefusalReason.TOO_MANY_FIRST)
    kind = _refused_kind(gate, items=items) if gate is not None else None
    if kind is not None:
        return Refused(why=RefusalReason.KIND_REFUSED, kind=kind)
    if gate is None or gate.paused or not gate.reachable or gate.blocked or not gate.has_room:
        return Refused(why=RefusalReason.NOT_TAKING)
    return gate


def find_sanction(standing: SubjectStanding) -> Refused | None:
    """Say what keeps a sanctioned person from writing at all."""
    match standing.standing:
        case Standing.SUSPENDED:
            return Refused(why=RefusalReason.SUSPENDED, until=standing.until)
        case Standing.BANNED:
            return Refused(why=RefusalReason.BANNED)
        case Standing.CLEAR:
            return None


def _refused_kind(gate: RecipientGate, *, items: Iterable[ContentItem]) -> ReceiveKind | None:
    kinds = (_RECEIVE_KINDS[item.kind] for item in items)
    return next((kind for kind in kinds if kind in gate.refused_kinds), None)
