"""What a handler is given, and what it gives back."""

from dataclasses import dataclass, field, replace
from typing import Any

from accounts.selectors import Actor
from nekonymous_site.bell import Bell
from nekonymous_site.bot.keyboards import Keyboard
from nekonymous_site.crypto.identifiers import ChatId
from nekonymous_site.pipeline import StatementPipeline
from outbox.intent_kinds import IntentKind


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Visit:
    """Somebody came with an update, in their private chat; the durable transaction is open."""

    pipeline: StatementPipeline
    actor: Actor
    chat_id: ChatId
    may_send_first: bool = True  # whether their pace allows one more first message
    written_at: int | None = None  # Telegram's date of the message that they came with; taps have none

    @property
    def language(self) -> str:
        return self.actor.language


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One Bot API call to whoever came, with the kind of intent that carries it; the chat is left out."""

    kind: IntentKind
    method: str
    parameters: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerAnswer:
    """What whoever came is to see.

    `toast` answers a tap; `bells` ring after commit; `progress_total` begins a live count with its progress
    message, `progress_more` adds to one that is going on; `once` names what is answered but once, however
    many updates ask for it; `sent_first` says that a first message has gone, which counts against their pace.
    """

    messages: tuple[Outgoing, ...] = ()
    toast: str | None = field(repr=False, default=None)
    bells: tuple[Bell, ...] = ()
    progress_total: int | None = None
    progress_more: int = 0
    once: bytes | None = None
    sent_first: bool = False


def screen(text: str, *, keyboard: Keyboard | None = None) -> HandlerAnswer:
    """Answer with a screen, which is not repeated when nobody knows whether it arrived."""
    return HandlerAnswer(messages=(_message(IntentKind.SCREEN, text, keyboard=keyboard),))


def question(text: str, *, keyboard: Keyboard, reply_to: int) -> HandlerAnswer:
    """Answer with a question about a message that is kept meanwhile; this must arrive."""
    message = _message(IntentKind.QUESTION, text, keyboard=keyboard)
    return HandlerAnswer(messages=(_replying(message, to=reply_to),))


def prompt(text: str, *, keyboard: Keyboard | None = None, reply_to: int | None = None) -> HandlerAnswer:
    """Answer by asking for the next message; `reply_to` shows which message it is about."""
    message = _message(IntentKind.PROMPT, text, keyboard=keyboard)
    return HandlerAnswer(messages=(message if reply_to is None else _replying(message, to=reply_to),))


def acknowledgement(
    text: str,
    *,
    keyboard: Keyboard | None = None,
    reply_to: int | None = None,
    sent_first: bool = False,
) -> HandlerAnswer:
    """Answer with what became of a message, which `reply_to` shows; this must arrive."""
    message = _message(IntentKind.ACKNOWLEDGEMENT, text, keyboard=keyboard)
    shown = message if reply_to is None else _replying(message, to=reply_to)
    return HandlerAnswer(messages=(shown,), sent_first=sent_first)


def progress(text: str, *, total: int) -> HandlerAnswer:
    """Answer with the live progress message of an inbox, and have the inbox drained."""
    return HandlerAnswer(
        messages=(_message(IntentKind.PROGRESS, text, keyboard=None),),
        bells=(Bell.INBOX_DRAIN,),
        progress_total=total,
    )


def edited_screen(
    text: str, *, message_id: int, keyboard: Keyboard | None, toast: str | None = None
) -> HandlerAnswer:
    """Answer a tap by changing the message that was tapped."""
    parameters = {"message_id": message_id, **_text_parameters(text, keyboard=keyboard)}
    edit = Outgoing(kind=IntentKind.EDIT, method="editMessageText", parameters=parameters)
    return HandlerAnswer(messages=(edit,), toast=toast)


def edited_buttons(*, message_id: int, keyboard: Keyboard | None, toast: str | None = None) -> HandlerAnswer:
    """Answer by changing the buttons of a message, or by taking them away."""
    parameters: dict[str, Any] = {"message_id": message_id}
    if keyboard:
        parameters["reply_markup"] = keyboard
    edit = Outgoing(kind=IntentKind.EDIT, method="editMessageReplyMarkup", parameters=parameters)
    return HandlerAnswer(messages=(edit,), toast=toast)


def together(first: HandlerAnswer, then: HandlerAnswer) -> HandlerAnswer:
    """Answer with one thing after the other; of a toast and a count there is one at most."""
    return HandlerAnswer(
        messages=(*first.messages, *then.messages),
        toast=then.toast or first.toast,
        bells=(*first.bells, *then.bells),
        progress_total=then.progress_total or first.progress_total,
        progress_more=first.progress_more + then.progress_more,
        once=first.once or then.once,
        sent_first=first.sent_first or then.sent_first,
    )


def _message(kind: IntentKind, text: str, *, keyboard: Keyboard | None) -> Outgoing:
    return Outgoing(kind=kind, method="sendMessage", parameters=_text_parameters(text, keyboard=keyboard))


def _replying(message: Outgoing, *, to: int) -> Outgoing:
    shown = {"message_id": to, "allow_sending_without_reply": True}
    return replace(message, parameters=message.parameters | {"reply_parameters": shown})


def _text_parameters(text: str, *, keyboard: Keyboard | None) -> dict[str, Any]:
    plain: dict[str, Any] = {"text": text, "link_preview_options": {"is_disabled": True}}
    return plain | ({"reply_markup": keyboard} if keyboard else {})
