"""Keep the live progress message of a delivery up to date: "3 of 12", and what came of it at the end."""

import secrets
from typing import Any

import accounts.selectors
import outbox.progress
import outbox.services
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import AccountId, ChatId, LaneTag
from nekonymous_site.pipeline import StatementPipeline
from outbox.intent_kinds import IntentKind
from outbox.progress import ProgressPhase
from outbox.services import NewIntent


def note_delivery_step(
    pipeline: StatementPipeline, lane_tag: LaneTag, *, body: dict[str, Any], delivered: bool
) -> None:
    """Count a delivery that has ended, and ask for an edit when one is due or nothing more is on its way.

    Needs the lane's lock. `body` is the delivery's: account, chat and language are read from it.
    """
    if delivered:
        outbox.progress.queue_one_delivered(pipeline, lane_tag)
    progress = outbox.progress.queue_progress(pipeline, lane_tag)
    counts = accounts.selectors.queue_inbox_counts(pipeline, AccountId(bytes.fromhex(body["account"])))
    if progress.value is None:
        return
    phase = outbox.progress.find_phase(progress.value, on_the_way=counts.value.on_the_way)
    if progress.value.edit_is_due or phase is ProgressPhase.FINALIZING:
        queue_progress_edit(pipeline, body=body, progress_id=progress.value.progress_id)


def queue_progress_end(pipeline: StatementPipeline, *, body: dict[str, Any]) -> None:
    """Bring the progress of a lane to its end, if there is one: nothing will arrive that could. Locks it."""
    progress = outbox.progress.queue_progress(pipeline, blind_tags.lane_tag(ChatId(body["chat"]))).value
    if progress is not None:
        queue_progress_edit(pipeline, body=body, progress_id=progress.progress_id)


def queue_progress_edit(pipeline: StatementPipeline, *, body: dict[str, Any], progress_id: bytes) -> None:
    """Queue an edit that is rendered when its turn comes, unless one waits already. Locks the lane."""
    chat_id = ChatId(body["chat"])
    outbox.services.queue_intent(
        pipeline,
        NewIntent(
            kind=IntentKind.PROGRESS_EDIT,
            tag=blind_tags.intent_tag("progress-edit", secrets.token_bytes(16)),
            chat_id=chat_id,
            body={
                **{name: body[name] for name in ("account", "chat", "language")},
                "progress": progress_id.hex(),
            },
        ),
        unless_one_waits=True,
    )
    outbox.progress.queue_progress_edited(pipeline, blind_tags.lane_tag(chat_id))
