"""Tell both sides what could not be shown."""

from typing import Any, Final

import outbox.services
from nekonymous_site.bot import unshown_texts
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import ChatId, IntentTag
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.deliver_ticket import DeliveryOrder
from nekonymous_site.workflows.refuse_delivery import RefusedDelivery, refuse_delivery
from nekonymous_site.workflows.ticket_content import ContentKind
from outbox.intent_kinds import IntentKind
from outbox.send_result import PayloadRefusal
from outbox.services import NewIntent

_KINDS: Final = {
    "sendMessage": ContentKind.TEXT,
    "sendPhoto": ContentKind.PHOTO,
    "sendVideo": ContentKind.VIDEO,
    "sendAnimation": ContentKind.ANIMATION,
    "sendDocument": ContentKind.DOCUMENT,
    "sendVoice": ContentKind.VOICE,
    "sendAudio": ContentKind.AUDIO,
    "sendSticker": ContentKind.STICKER,
    "sendVideoNote": ContentKind.VIDEO_NOTE,
}


def take_refusal(
    pipeline: StatementPipeline,
    *,
    body: dict[str, Any],
    refusal: PayloadRefusal | None,
    method: str | None,
    possible_repeat: bool,
) -> None:
    """Let what was refused wait or end, and queue what is said of it.

    `refusal` is None for a message that does not open, `method` where nothing was called. The recipient is
    told once for each drain, kind and reason: ten voice messages make one message. Needs the lane's lock.
    """
    order = DeliveryOrder.from_body(body)
    refused = refuse_delivery(
        pipeline,
        order,
        for_good=refusal is PayloadRefusal.FILE_GONE,
        possible_repeat=possible_repeat,
    )
    if refused is None:
        return  # taken back meanwhile
    _tell_recipient(pipeline, order, body=body, refusal=refusal, method=method, refused=refused)
    if refused.sender is not None:
        sender = refused.sender
        _tell(
            pipeline,
            blind_tags.intent_tag(
                "removed-unshown", blind_tags.ticket_hash(order.capability.lookup_nonce), order.attempt_id
            ),
            place={"account": sender.account_id.hex(), "chat": sender.chat_id},
            text=unshown_texts.removed_unshown(sender.language),
        )


def _tell_recipient(
    pipeline: StatementPipeline,
    order: DeliveryOrder,
    *,
    body: dict[str, Any],
    refusal: PayloadRefusal | None,
    method: str | None,
    refused: RefusedDelivery,
) -> None:
    kind = _KINDS.get(method or "")
    text = unshown_texts.not_shown(
        body["language"], kind=kind, is_album=method == "sendMediaGroup", why=refusal, is_gone=refused.is_gone
    )
    said = blind_tags.intent_tag("not-shown", order.account_id, order.attempt_id, text.encode())
    _tell(pipeline, said, place={"account": body["account"], "chat": body["chat"]}, text=text)


def _tell(pipeline: StatementPipeline, tag: IntentTag, *, place: dict[str, Any], text: str) -> None:
    outbox.services.queue_intent(
        pipeline,
        NewIntent(
            kind=IntentKind.ACKNOWLEDGEMENT,
            tag=tag,
            chat_id=ChatId(place["chat"]),
            body={**place, "method": "sendMessage", "parameters": {"text": text}},
        ),
    )
