"""Screens that people ask for, and the first words they meet. Each function gives one finished text."""

from nekonymous_site.bot.catalogues import translate
from nekonymous_site.bot.phrases import isolate


def first_contact(language: str, *, contact: str | None) -> str:
    """Tell a newcomer what this is, what is kept, for whom, whom to ask if anybody, and which languages."""
    lines = [
        translate(language, "👋 This is a bot for anonymous messages."),
        translate(
            language,
            "🔐 A message is kept encrypted until it is delivered, then its content is erased. The way back "
            "to its sender, for answers, is kept encrypted for 30 days. Whoever runs this bot could open "
            "what is kept: it is not end-to-end encrypted. More: /privacy",
        ),
        _for_whom(language),
    ]
    other = translate(language, "🌍 English · \u2068فارسی\u2069: /language")
    return "\n".join([*lines, *_whom_to_ask(language, contact=contact), other])


def welcome(language: str, *, link: str) -> str:
    """Greet whoever starts the bot, and give them their link."""
    return translate(
        language,
        "🌱 Welcome! Here people can write to you anonymously.\n\n"
        "🔗 Your link:\n{link}\n\n"
        "Send it to friends, or put it where they find you. What they write waits in your inbox: /inbox",
    ).format(link=isolate(link))


def own_link(language: str, *, link: str) -> str:
    """Show a person their own link."""
    return translate(
        language, "🔗 Your link:\n{link}\n\nWhoever opens it can write to you anonymously."
    ).format(link=isolate(link))


def share_text(language: str) -> str:
    """Word the invitation that stands beside a shared link, as its owner would say it."""
    return translate(language, "Write me whatever you like, anonymously 🙂")


def help_screen(language: str, *, contact: str | None, source_url: str | None) -> str:
    """List the commands, whom to ask, and where the source code of this bot is."""
    about = [*_whom_to_ask(language, contact=contact), *_source_code(language, source_url=source_url)]
    return "\n\n".join([_commands(language), *(["\n".join(about)] if about else [])])


def unknown_command(language: str) -> str:
    """Answer a command that is none of ours with those that are."""
    unknown = translate(language, "I don't know this command. To write to somebody, open their link.")
    return "\n\n".join([unknown, _commands(language)])


def privacy_screen(language: str, *, contact: str | None, source_url: str | None) -> str:
    """Say plainly what this is not, what is kept and how long, and what nobody can prevent.

    What it claims must be true of the code: docs/threat_model.md and docs/storage_planes.md.
    """
    about = [
        _for_whom(language),
        *_whom_to_ask(language, contact=contact),
        *_source_code(language, source_url=source_url),
    ]
    parts = [
        translate(language, "🔐 Privacy, plainly"),
        _what_is_seen(language),
        _what_it_is_not(language),
        _what_is_kept(language),
        _what_cannot_be_prevented(language),
        "\n".join(about),
    ]
    return "\n\n".join(parts)


def language_screen(language: str) -> str:
    """Ask for the language, whose names stand in the buttons."""
    return translate(language, "🌍 Which language do you prefer?")


def language_changed(language: str) -> str:
    """Confirm a new language in that language. A toast, or a message."""
    return translate(language, "🌍 Great, we'll speak English from now on.")


def _commands(language: str) -> str:
    return translate(
        language,
        "/link your link\n/inbox what waits for you\n/settings name, pause, blocks and more\n"
        "/language another language\n/privacy what is kept, and what is not promised\n"
        "/cancel stop writing\n/help this list",
    )


def _for_whom(language: str) -> str:
    return translate(language, "🔞 For whom: adults, 18 and over.")


def _whom_to_ask(language: str, *, contact: str | None) -> list[str]:
    if not contact:
        return []
    return [translate(language, "💬 Whom to ask: {contact}").format(contact=isolate(contact))]


def _source_code(language: str, *, source_url: str | None) -> list[str]:
    if not source_url:
        return []
    return [translate(language, "🧩 Source code: {url}").format(url=isolate(source_url))]


def _what_is_seen(language: str) -> str:
    return translate(
        language,
        "👁 What the other side sees: what you send, and not your account. Whoever opens your link sees the "
        "name that you have set in /settings, if you have set one.",
    )


def _what_it_is_not(language: str) -> str:
    return translate(
        language,
        "⚠️ What this is not: it is not end-to-end encrypted, not zero-knowledge, and it gives no perfect "
        "anonymity. You need to trust Telegram, which sees everything in readable form; the host that this "
        "runs on; and whoever runs this bot, who has the keys and could open what is kept.",
    )


def _what_is_kept(language: str) -> str:
    return translate(
        language,
        "🗄 What is kept, and how long:\n"
        "• a message: encrypted, until it is delivered or withdrawn, 30 days at most. Of a photo or a file "
        "only Telegram's reference to it; the file itself stays with Telegram.\n"
        "• the way back to its sender, for answers: encrypted, 30 days.\n"
        "• what you have begun and not sent: encrypted, a day.\n"
        "• what went wrong on its way: encrypted, about a week; the bot's own answers about a month.\n"
        "• your account with link, language, settings, name, blocks and nicknames: as long as there is an "
        "account, and no command deletes it yet. The names are encrypted.\n"
        "• a suspension until it ends, a ban until it is lifted.\n"
        "• numbers that guard against repeats and floods: about a week at most, without names.\n"
        "• how much happens here in a day: numbers that name nobody.\n"
        "What is erased may still lie on disks and in backups for a while.",
    )


def _what_cannot_be_prevented(language: str) -> str:
    return translate(
        language,
        "📸 What nobody can prevent: that somebody takes screenshots, copies or passes on what you wrote. "
        "What was delivered cannot be called back. Your style, your voice or a picture can give you away. "
        "And I do not check who the other side is.",
    )
