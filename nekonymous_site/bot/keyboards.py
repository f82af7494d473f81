"""Keyboards, as the Bot API wants them: under messages, and under the input field."""

from typing import Any
from urllib.parse import quote, urlencode

from accounts.drafts import ComposeDraft, MessageDraft, ReplyDraft
from nekonymous_site.bot import button_texts, callback_data, menu_labels, screen_texts
from nekonymous_site.crypto.capabilities import Capability, WithdrawToken

Keyboard = dict[str, Any]
Button = dict[str, Any]


def menu_keyboard(language: str) -> Keyboard:
    """The keyboard under the input field: where one can always go."""
    labels = [[menu_labels.link(language), menu_labels.inbox(language)], [menu_labels.settings(language)]]
    return {
        "keyboard": [[{"text": label} for label in row] for row in labels],
        "resize_keyboard": True,
        "is_persistent": True,
    }


def inbox_keyboard(language: str) -> Keyboard:
    """One button that brings what waits."""
    return inline([button(button_texts.inbox(language), callback_data.INBOX)])


def link_keyboard(language: str, *, link: str) -> Keyboard:
    """Pass one's own link on, or copy it."""
    invitation = {"url": link, "text": screen_texts.share_text(language)}
    share = f"https://t.me/share/url?{urlencode(invitation, quote_via=quote)}"
    return inline(
        [
            {"text": button_texts.share(language), "url": share},
            {"text": button_texts.copy_link(language), "copy_text": {"text": link}},
        ]
    )


def ticket_keyboard(
    capability: Capability,
    *,
    language: str,
    nickname: str | None,
    possible_repeat: bool,
    blocked: bool = False,
) -> Keyboard:
    """The actions under a delivered message, and above them whose words it is not: the bot's.

    The marks stand in buttons, so that they fit a text of full length as well.
    """

    def action(text: str, prefix: str) -> Button:
        return button(text, callback_data.with_capability(prefix, capability))

    marks = [action(button_texts.sender(language, nickname=nickname), callback_data.SENDER_MARK)]
    if possible_repeat:
        marks.append(button(button_texts.repeat(language), callback_data.REPEAT_MARK))
    block = (
        action(button_texts.unblock(language), callback_data.UNBLOCK)
        if blocked
        else action(button_texts.block(language), callback_data.BLOCK)
    )
    return inline(
        marks,
        [action(button_texts.reply(language), callback_data.REPLY)],
        [action(button_texts.nickname(language), callback_data.NICKNAME), block],
    )


def accepted_keyboard(token: WithdrawToken, *, language: str, destination: MessageDraft) -> Keyboard:
    """Take a message back, or write another one to the same place."""
    match destination:
        case ComposeDraft():
            again = callback_data.WRITE_AGAIN + destination.slug
        case ReplyDraft():
            again = callback_data.with_capability(callback_data.REPLY, destination.capability)
    withdraw = button(button_texts.withdraw(language), callback_data.with_token(token))
    return inline([withdraw, _again_button(again, language=language)])


def withdrawn_keyboard(again: str | None, *, language: str) -> Keyboard | None:
    """What is left under an acknowledgement whose message has been taken back."""
    return inline([_again_button(again, language=language)]) if again else None


def _again_button(data: str, *, language: str) -> Button:
    is_first = data.startswith(callback_data.WRITE_AGAIN)
    return button((button_texts.write_another if is_first else button_texts.reply_again)(language), data)


def question_keyboard(composition_id: bytes, *, language: str) -> Keyboard:
    """Send what waits for a yes, or throw it away."""
    return inline(
        [
            button(
                button_texts.send_anyway(language),
                callback_data.with_id(callback_data.SEND_ANYWAY, composition_id),
            ),
            button(
                button_texts.do_not_send(language),
                callback_data.with_id(callback_data.THROW_AWAY, composition_id),
            ),
        ]
    )


def prompt_keyboard(key: str, *, language: str, before: tuple[Button, ...] = ()) -> Keyboard:
    """The way out of a prompt, which also names the draft that it is about."""
    return inline([*before, button(button_texts.cancel(language), callback_data.CANCEL + key)])


def nickname_removed_button(capability: Capability, *, language: str) -> Button:
    """Take a nickname away instead of giving another one."""
    data = callback_data.with_capability(callback_data.NICKNAME_REMOVED, capability)
    return button(button_texts.remove_name(language), data)


def button(text: str, data: str) -> Button:
    """One inline button with callback data."""
    return {"text": text, "callback_data": data}


def inline(*rows: list[Button]) -> Keyboard:
    """An inline keyboard of these rows."""
    return {"inline_keyboard": list(rows)}
