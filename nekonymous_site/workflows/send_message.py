"""Send what a person has written to where their draft, or their reply gesture, says."""

import accounts.services
from accounts.drafts import ComposeDraft, MessageDraft, ReplyDraft
from accounts.selectors import Actor
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.enter_inbox import Taken, enter_inbox
from nekonymous_site.workflows.inbox_gates import Refused
from nekonymous_site.workflows.reply_to_ticket import send_reply
from nekonymous_site.workflows.seal_message import Origin
from nekonymous_site.workflows.ticket_content import MessageContent


def send_message(
    pipeline: StatementPipeline,
    content: MessageContent,
    *,
    destination: MessageDraft,
    sender: Actor,
    origin: Origin,
    may_send_first: bool,
) -> Taken:
    """Send a message and close the draft that it came from; a draft to somebody else stays open.

    After a refusal that another try may avoid the draft stays too. Locks and repeatability: `enter_inbox`.
    """
    match destination:
        case ComposeDraft():
            taken = enter_inbox(
                pipeline,
                content,
                sender=sender,
                origin=origin,
                recipient=destination.recipient,
                recipient_salt=destination.contact_salt,
                slug=destination.slug,
                may_send_first=may_send_first,
            )
        case ReplyDraft():
            taken = send_reply(
                pipeline, content, capability=destination.capability, sender=sender, origin=origin
            )
    stays = isinstance(taken, Refused) and taken.keeps_draft
    if not stays and sender.draft() == destination:
        accounts.services.queue_draft_closed(pipeline, owner=sender.account_id)
    return taken
