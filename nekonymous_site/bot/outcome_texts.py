"""What people are told while they write, are answered and receive. Each function gives one finished text.

Names that come in are clean (`personal_names.py`) and may be long; here they are isolated. Some texts are
toasts over a button, which hold 200 characters.
"""

from datetime import date

from nekonymous_site.bot.catalogues import translate
from nekonymous_site.bot.phrases import day, isolate, number


def compose_prompt(language: str, *, name: str | None) -> str:
    """Ask for the first message to the owner of a link, by the name that they chose if they chose one."""
    owner = isolate(name) if name else translate(language, "the owner of this link")
    return translate(
        language,
        "✍️ You are writing to {name}.\n\nSend your message now. Your name, your number and your account are "
        "not shown to them; but your words, your voice or a picture can still give you away.\n\n"
        "/cancel to stop.",
    ).format(name=owner)


def reply_prompt(language: str, *, nickname: str | None) -> str:
    """Ask for an answer, to somebody whom its writer may have given a nickname."""
    writer = isolate(nickname) if nickname else translate(language, "the writer of this message")
    return translate(
        language,
        "↩️ You are answering {name}.\n\nSend your answer now. Your account is not shown to them.\n\n"
        "/cancel to stop.",
    ).format(name=writer)


def accepted(language: str) -> str:
    """Acknowledge a first message."""
    return translate(language, "✅ Sent. Your message is kept encrypted until it is delivered.")


def reply_accepted(language: str) -> str:
    """Acknowledge an answer."""
    return translate(language, "✅ Sent. Your answer is kept encrypted until it is delivered.")


def not_taking(language: str) -> str:
    """Give the one neutral refusal: paused, blocked, full, unreachable and gone look the same."""
    return translate(language, "Not sent: this inbox is not taking messages now.")


def dead_link(language: str) -> str:
    """Say that a link leads to nobody."""
    return translate(
        language, "This link does not work. It may be incomplete; copy it again, or ask its owner."
    )


def own_link_opened(language: str) -> str:
    """Tell somebody who opened their own link what it is for."""
    return translate(language, "This is your own link 🙂 Share it, and others can write to you.")


def button_dead(language: str) -> str:
    """Answer a tap on a button that does nothing any more, or never did. A toast."""
    return translate(language, "This button does not work any more.")


def nothing_open(language: str) -> str:
    """Answer a message that is for nobody with the two ways in which it could be for somebody."""
    return translate(
        language,
        "Not sent: I can't tell whom this is for. Open somebody's link, or tap Reply under a message you "
        "received. For one more to the same person, tap Write another.",
    )


def where_to_reply(language: str) -> str:
    """Say why a reply to a part without buttons was not sent, and which message to reply to."""
    return translate(
        language,
        "Not sent: reply to the last message of this set, the one with Reply under it.",
    )


def unclear_gesture(language: str) -> str:
    """Say why a reply to a message of the bot's own was not sent."""
    return translate(
        language,
        "Not sent: what you replied to doesn't tell me whom this is for. Reply to a message that somebody "
        "wrote to you, or write without replying.",
    )


def written_before(language: str) -> str:
    """Say why a message was not sent that may belong to what was open before."""
    return translate(
        language,
        "Not sent: this came together with something else, and may be meant for somebody else. If it belongs "
        "to what you are doing now, send it again.",
    )


def cancelled(language: str) -> str:
    """Confirm that an open draft is closed."""
    return translate(language, "Cancelled. Nothing was sent.")


def naming_cancelled(language: str) -> str:
    """Confirm that no name is asked for any more. A toast, or a message."""
    return translate(language, "All right, no name was changed.")


def prompt_over(language: str) -> str:
    """Say that a prompt is not the open one any more. A toast."""
    return translate(
        language, "This is over already. To take back something you sent, tap Withdraw under its “✅ Sent”."
    )


def cancelled_waiting(language: str) -> str:
    """Confirm that a message is thrown away which waited for its sender's yes."""
    return translate(language, "Cancelled. Whatever waited for your yes is thrown away.")


def nothing_to_cancel(language: str) -> str:
    """Answer /cancel where nothing is open."""
    return translate(language, "There is nothing to cancel.")


def update_parked(language: str) -> str:
    """Apologise for an update that failed for good."""
    return translate(
        language, "Something went wrong, and what you sent just now did not go out. Please send it again."
    )


def withdraw_answer(language: str) -> str:
    """Answer every withdrawal with the same words, which do not tell whether it was delivered. A toast."""
    return translate(language, "If it had not been delivered yet, it is gone now.")


def notice(language: str, *, count: int) -> str:
    """Tell how many messages wait."""
    return translate(language, "📬 New messages for you: {count}").format(count=number(language, count))


def inbox_empty(language: str) -> str:
    """Answer whoever asks for messages where none waits."""
    return translate(language, "📭 Your inbox is empty for now.")


def already_coming(language: str, *, count: int) -> str:
    """Answer whoever asks again for messages that are on their way. A toast, or a message."""
    return translate(language, "Already on the way to you: {count}…").format(count=number(language, count))


def progress(language: str, *, delivered: int, total: int) -> str:
    """Tell how many of the messages that were asked for have arrived."""
    return translate(language, "📬 {delivered} of {total}").format(
        delivered=number(language, delivered), total=number(language, total)
    )


def progress_done(language: str, *, delivered: int) -> str:
    """Tell that all messages that were asked for have arrived."""
    return translate(language, "📬 Delivered: {delivered} 👇").format(delivered=number(language, delivered))


def progress_left(language: str, *, delivered: int, left: int) -> str:
    """Tell that a delivery is over and that some messages still wait."""
    return translate(
        language, "📬 Delivered: {delivered}\nStill waiting: {left}\n\n/inbox to fetch them."
    ).format(delivered=number(language, delivered), left=number(language, left))


def ticket_card(language: str) -> str:
    """Head the buttons that stand under an album, which can carry none itself."""
    return translate(language, "☝️ For the album above")


def sender_explained(language: str, *, number: str | None, on: date | None) -> str:
    """Say whose words a delivered message is, and which message of which day it is. A toast."""
    text = translate(
        language, "This comes from somebody who does not show their account. It does not come from the bot."
    )
    facts = [translate(language, "Message {number}").format(number=isolate(f"#{number}"))] if number else []
    facts += [day(language, on)] if on else []
    return "\n".join([text, *([" · ".join(facts)] if facts else [])])


def repeat_explained(language: str) -> str:
    """Say why a message may be here twice. A toast."""
    return translate(language, "Telegram did not say whether this arrived before, so it may be here twice.")


def blocked(language: str) -> str:
    """Confirm a block, also one that was there before. A toast."""
    return translate(
        language, "Blocked. Messages from this person no longer reach you. /settings lists your blocks."
    )


def unblocked(language: str) -> str:
    """Confirm that a block is gone, also when there was none. A toast."""
    return translate(language, "Unblocked. This person can write to you again.")


def blocks_full(language: str) -> str:
    """Refuse a block beyond the 500th. A toast."""
    return translate(language, "You have reached the limit of 500 blocks. Lift some in /settings.")


def nickname_prompt(language: str, *, current: str | None) -> str:
    """Ask what somebody is to be called, and tell what they are called now."""
    question = translate(
        language,
        "🏷 What nickname should the writer of this message have? Only you will see it; 32 characters at "
        "most.",
    )
    now = [translate(language, "Now: {name}").format(name=isolate(current))] if current else []
    return "\n\n".join([question, *now, translate(language, "/cancel to stop.")])


def nickname_set(language: str, *, name: str) -> str:
    """Confirm a nickname."""
    return translate(language, "🏷 Saved. You will see them as {name}.").format(name=isolate(name))


def nickname_removed(language: str) -> str:
    """Confirm that somebody has no nickname any more. A toast, or a message."""
    return translate(language, "Nickname removed.")


def nickname_unusable(language: str) -> str:
    """Ask again where what came is no text, or nothing of it can be seen."""
    return translate(language, "That can't be a nickname. Send text only, 32 characters at most.")


def nicknames_full(language: str) -> str:
    """Refuse a nickname beyond the 200th. A toast, or a message."""
    return translate(language, "You have reached the limit of 200 nicknames. Remove one first.")
