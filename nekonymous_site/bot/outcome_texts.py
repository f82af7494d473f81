"""Every word the bot says. Each function gives one text in one language; only this module knows words."""

from typing import Final

from babel.numbers import format_decimal

from nekonymous_site.bot.catalogues import languages, translate

_PERSIAN_DIGITS: Final = str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")
# Marks that isolate a name, a link or a number from the direction of the text around it.
_ISOLATE: Final = "\u2068{}\u2069"


def choose_language(language_code: str | None, *, default: str) -> str:
    """Follow Telegram's own setting where there is a catalogue."""
    wanted = (language_code or "").partition("-")[0].lower()
    return wanted if wanted in languages() else default


def welcome(language: str, *, link: str, contact: str | None) -> str:
    """Greet a newcomer: what is kept, for whom this is, whom to ask; and their link."""
    lines = [
        translate(language, "Welcome. People can write to you here without telling you who they are."),
        "",
        translate(
            language,
            "🔐 What is kept: a message lies encrypted until it is delivered, then its text is erased; the "
            "encrypted address of its sender, which answers need, expires after 30 days. Whoever runs this "
            "bot could still open what is kept. It is not end-to-end encrypted.",
        ),
        translate(language, "🔞 For whom: adults, 18 and over."),
    ]
    if contact:
        lines.append(_whom_to_ask(language, contact=contact))
    return "\n".join([*lines, "", own_link(language, link=link)])


def own_link(language: str, *, link: str) -> str:
    """Show a person their own link."""
    return translate(language, "Your link:\n{link}\nWhoever opens it can write to you anonymously.").format(
        link=link
    )


def compose_prompt(language: str) -> str:
    return translate(
        language,
        "✍️ Write your message now. The owner of this link will not be told who you are; what you write may "
        "still give you away.\n\n/cancel to stop.",
    )


def reply_prompt(language: str) -> str:
    return translate(
        language, "↩️ Write your answer now. Your account is not shown to them.\n\n/cancel to stop."
    )


def own_link_opened(language: str) -> str:
    return translate(language, "This is your own link. Share it, and others can write to you.")


def dead_link(language: str) -> str:
    return translate(language, "This link does not work. Ask its owner for a new one.")


def accepted(language: str) -> str:
    return translate(language, "✅ Sent. Your message is kept encrypted until it is delivered.")


def not_taking(language: str) -> str:
    """Give the one neutral refusal: full, unreachable, gone and later blocked and paused look the same."""
    return translate(language, "This inbox is not taking messages now.")


def button_dead(language: str) -> str:
    return translate(language, "This button does not work any more.")


def notice(language: str, *, count: int) -> str:
    return translate(language, "📬 Messages waiting for you: {count}").format(count=_number(language, count))


def inbox_empty(language: str) -> str:
    return translate(language, "Your inbox is empty.")


def inbox_coming(language: str, *, count: int) -> str:
    return translate(language, "On the way to you: {count}").format(count=_number(language, count))


def cancelled(language: str) -> str:
    return translate(language, "Cancelled. Nothing was sent.")


def nothing_to_cancel(language: str) -> str:
    return translate(language, "There is nothing to cancel.")


def nothing_open(language: str) -> str:
    return translate(
        language,
        "This was not sent, because it has no recipient. To write to somebody, open their link; to answer a "
        "message, tap Reply under it or reply to it.",
    )


def text_only(language: str, *, draft_open: bool) -> str:
    """Say that a message was not sent since it is no text; a draft that was open still is."""
    refusal = translate(language, "Only text can be sent for now.")
    return f"{refusal} {_still_open(language)}" if draft_open else refusal


def empty_text(language: str, *, draft_open: bool) -> str:
    """Say that a message was not sent since there is nothing to read in it."""
    refusal = translate(language, "There is no text in this message.")
    return f"{refusal} {_still_open(language)}" if draft_open else refusal


def unknown_command(language: str) -> str:
    return translate(language, "I do not know this command.\n\n{help}").format(help=help_text(language))


def help_text(language: str) -> str:
    return translate(
        language, "/link your link\n/inbox what waits for you\n/cancel stop writing\n/help this list"
    )


def help_screen(language: str, *, contact: str | None, source_url: str | None) -> str:
    """List the commands, whom to ask, and where the source code of this bot is."""
    lines = [help_text(language), ""]
    if contact:
        lines.append(_whom_to_ask(language, contact=contact))
    if source_url:
        lines.append(translate(language, "🧩 Source code: {url}").format(url=_isolate(source_url)))
    return "\n".join(lines).rstrip()


def update_parked(language: str) -> str:
    return translate(language, "Something went wrong with what you sent just now. It did not go out.")


def inbox_button(language: str) -> str:
    return translate(language, "📬 Show messages")


def reply_button(language: str) -> str:
    return translate(language, "↩️ Reply")


def sender_button(language: str) -> str:
    return translate(language, "✉️ Anonymous message")


def sender_explained(language: str) -> str:
    return translate(
        language, "Somebody wrote this who does not show their account. It does not come from the bot."
    )


def repeat_button(language: str) -> str:
    return translate(language, "🔁 Perhaps a repeat")


def repeat_explained(language: str) -> str:
    return translate(language, "Telegram did not say whether this arrived before, so it may be here twice.")


def _still_open(language: str) -> str:
    return translate(language, "You can still write your message.")


def _whom_to_ask(language: str, *, contact: str) -> str:
    return translate(language, "💬 Whom to ask: {contact}").format(contact=_isolate(contact))


def _number(language: str, value: int) -> str:
    """Write a number with the digits of the language; Babel groups it but leaves its digits Latin."""
    grouped = format_decimal(value, locale=language)
    return grouped.translate(_PERSIAN_DIGITS) if language == "fa" else grouped


def _isolate(text: str) -> str:
    return _ISOLATE.format(text)
