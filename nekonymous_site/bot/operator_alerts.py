"""Alerts to the operator's chat: few, each once a day, and nobody's data in them.

An alert is an intent as any other, written in the transaction that it is about. What there is to know stands
in the logs as well, for whoever has no chat for it.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from django.conf import settings

import outbox.services
from nekonymous_site import bell
from nekonymous_site.bell import Bell
from nekonymous_site.bot import operator_texts
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import ChatId
from nekonymous_site.pipeline import StatementPipeline
from outbox.intent_kinds import IntentKind
from outbox.services import NewIntent

# No chat has this id. Alerts are queued by whoever holds another lane: in a lane of their own, from which
# nobody goes on to another, no two of them can wait for each other in a circle.
_ALERT_LANE: Final = ChatId(0)


class Alert(StrEnum):
    SENDING_STOPPED = "sending_stopped"
    LETTER_DIED = "letter_died"
    UPDATE_PARKED = "update_parked"


_TEXTS: Final[dict[Alert, Callable[[str], str]]] = {
    Alert.SENDING_STOPPED: operator_texts.sending_stood_still,
    Alert.LETTER_DIED: operator_texts.letter_died,
    Alert.UPDATE_PARKED: operator_texts.update_set_aside,
}


def queue_alert(pipeline: StatementPipeline, alert: Alert) -> None:
    """Queue an alert where there is a chat for it. May be repeated: of each there is one a day (UTC)."""
    if settings.NEKO.operator_chat is None:
        return
    day = datetime.now(UTC).date().isoformat()
    intent = NewIntent(
        kind=IntentKind.OPERATOR_ALERT,
        tag=blind_tags.intent_tag(IntentKind.OPERATOR_ALERT, alert.encode(), day.encode()),
        chat_id=_ALERT_LANE,
        body={"chat": _ALERT_LANE, "alert": alert.value},
    )
    outbox.services.queue_intent(pipeline, intent)
    bell.ring_after_commit(Bell.OUTBOX)


def queue_alerts_locked(pipeline: StatementPipeline) -> None:
    """Lock the lane of the alerts before what its own pump locks after it: the pace of all sends."""
    if settings.NEKO.operator_chat is not None:
        outbox.services.queue_lane_locked(pipeline, _ALERT_LANE)


def alert_parameters(body: dict[str, Any]) -> dict[str, Any] | None:
    """Say an alert to the chat that is set now, in the default language; None where there is none."""
    if settings.NEKO.operator_chat is None:
        return None
    text = _TEXTS[Alert(body["alert"])](settings.NEKO.default_language)
    return {"chat_id": settings.NEKO.operator_chat, "text": text}
