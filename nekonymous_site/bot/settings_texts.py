"""What people set, and how it is told: name, language, time zone, pause, kinds of messages, blocks."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Final

from accounts.preferences import FOR_EVER, ReceiveKind
from nekonymous_site.bot.catalogues import translate
from nekonymous_site.bot.phrases import (
    clock,
    day,
    enumerate_words,
    isolate,
    language_name,
    moment,
    number,
    shorten,
)

# A row of the list of blocks is a button, which shows 64; the day takes up to 20 of them.
_LABEL_UNITS: Final = 40

_ZONE_NAMES: Final[dict[str, Callable[[str], str]]] = {
    "Asia/Tehran": lambda language: translate(language, "Tehran"),
    "Asia/Kabul": lambda language: translate(language, "Kabul"),
    "Asia/Dushanbe": lambda language: translate(language, "Dushanbe"),
    "Asia/Dubai": lambda language: translate(language, "Dubai"),
    "Europe/Istanbul": lambda language: translate(language, "Istanbul"),
    "Europe/Moscow": lambda language: translate(language, "Moscow"),
    "Europe/Stockholm": lambda language: translate(language, "Stockholm"),
    "Europe/Berlin": lambda language: translate(language, "Berlin"),
    "Europe/London": lambda language: translate(language, "London"),
    "America/Toronto": lambda language: translate(language, "Toronto"),
    "America/Vancouver": lambda language: translate(language, "Vancouver"),
    "America/Los_Angeles": lambda language: translate(language, "Los Angeles"),
    "Australia/Sydney": lambda language: translate(language, "Sydney"),
    "UTC": lambda language: translate(language, "World time (UTC)"),
}
# IANA time zones that can be chosen, in the order of the buttons.
TIME_ZONES: Final[tuple[str, ...]] = tuple(_ZONE_NAMES)

_KIND_NAMES: Final[dict[ReceiveKind, Callable[[str], str]]] = {
    ReceiveKind.TEXT: lambda language: translate(language, "texts"),
    ReceiveKind.PHOTO: lambda language: translate(language, "photos"),
    ReceiveKind.VIDEO: lambda language: translate(language, "videos and GIFs"),
    ReceiveKind.VOICE: lambda language: translate(language, "voice and round videos"),
    ReceiveKind.DOCUMENT: lambda language: translate(language, "files and music"),
    ReceiveKind.STICKER: lambda language: translate(language, "stickers"),
}


def settings_screen(
    language: str,
    *,
    name: str | None,
    paused_until: datetime | None,
    zone: str,
    refused: ReceiveKind,
    blocked: int,
) -> str:
    """Show what is set. A pause until `accounts.preferences.FOR_EVER` is one until it is ended."""
    shown_name = isolate(name) if name else translate(language, "not set")
    lines = [
        translate(language, "⚙️ Settings") + "\n",
        translate(language, "Name: {name}").format(name=shown_name),
        translate(language, "Language: {language}").format(language=isolate(language_name(language))),
        translate(language, "Time zone: {zone}").format(zone=zone_name(language, zone)),
        translate(language, "Inbox: {state}").format(state=_inbox_state(language, paused_until, zone=zone)),
        translate(language, "Not wanted: {kinds}").format(kinds=_refused_kinds(language, refused)),
        translate(language, "Blocked people: {count}").format(count=number(language, blocked)),
    ]
    return "\n".join(lines)


def name_prompt(language: str, *, current: str | None) -> str:
    """Ask for the name that whoever opens the link is shown, and tell which it is now."""
    question = translate(
        language,
        "✏️ What name should people who open your link see? Send up to 64 characters. Without a name they "
        "read “the owner of this link”.",
    )
    now = [translate(language, "Now: {name}").format(name=isolate(current))] if current else []
    return "\n\n".join([question, *now, translate(language, "/cancel to stop.")])


def name_set(language: str, *, name: str) -> str:
    """Confirm a name."""
    return translate(language, "✏️ Saved. People who open your link see the name {name}.").format(
        name=isolate(name)
    )


def name_removed(language: str) -> str:
    """Confirm that no name is shown any more. A toast, or a message."""
    return translate(language, "Name removed. People read “the owner of this link” again.")


def name_unusable(language: str) -> str:
    """Ask again where what came is no text, or nothing of it can be seen."""
    return translate(
        language, "That can't be a name. Send text only, 64 characters at most, without links, @, # or /."
    )


def pause_screen(language: str) -> str:
    """Ask for how long the inbox is to take nothing, and say what a pause does."""
    return translate(
        language,
        "⏸ For how long should your inbox take no messages? People who write to you only read that it is not "
        "taking messages now, and don't learn why. What came before stays yours.",
    )


def paused(language: str, *, until: datetime, zone: str) -> str:
    """Confirm a pause; one until `FOR_EVER` is one until its owner ends it. A toast, or a message."""
    if until == FOR_EVER:
        return paused_for_ever(language)
    return translate(language, "⏸ Your inbox is paused until {moment}.").format(
        moment=moment(language, until, zone=zone)
    )


def paused_for_ever(language: str) -> str:
    """Confirm a pause that its owner has to end. A toast, or a message."""
    return translate(language, "⏸ Your inbox is paused until you end the pause.")


def resumed(language: str) -> str:
    """Confirm the end of a pause, also where there was none. A toast, or a message."""
    return translate(language, "▶️ Your inbox takes messages again.")


def receive_screen(language: str) -> str:
    """Ask which kinds of messages are wanted; the kinds stand in the buttons."""
    return translate(
        language,
        "📥 What would you like to receive? Tap to change it. People who send you another kind are told so "
        "and can say it another way.",
    )


def receive_kind(language: str, kind: ReceiveKind) -> str:
    """Name one kind of messages, as a part of a sentence or a button."""
    return _KIND_NAMES[kind](language)


def zone_name(language: str, zone: str) -> str:
    """Name a time zone by a city; one that is not offered (any more) by its IANA name."""
    return _ZONE_NAMES[zone](language) if zone in _ZONE_NAMES else isolate(zone)


def zone_screen(language: str, *, zone: str, now: datetime) -> str:
    """Show the time zone and its time, and ask for another one."""
    return translate(
        language, "🕰 Your time zone is {zone}, where it is {clock} now. Which one would you like?"
    ).format(zone=zone_name(language, zone), clock=clock(language, now, zone=zone))


def blocks_screen(language: str, *, count: int, page: int, pages: int) -> str:
    """Head the list of blocks, whose rows are buttons. `page` counts from 1."""
    head = translate(
        language,
        "🚫 Blocked people: {count}\n\nYou know them by your nickname, or by the number and day of a "
        "message. Tap one to lift the block.",
    ).format(count=number(language, count))
    if pages <= 1:
        return head
    where = translate(language, "Page {page} of {pages}").format(
        page=number(language, page), pages=number(language, pages)
    )
    return f"{head}\n\n{where}"


def block_entry(language: str, *, label: str, on: date) -> str:
    """Label one row of the list of blocks, by a nickname or number and the day of the message. A button."""
    return translate(language, "{label} · {day}").format(
        label=isolate(shorten(label, most_units=_LABEL_UNITS)), day=day(language, on)
    )


def blocks_empty(language: str) -> str:
    """Show an empty list of blocks."""
    return translate(language, "You have blocked nobody. 🕊")


def block_lifted(language: str) -> str:
    """Confirm that one block is lifted, also where it was before. A toast."""
    return translate(language, "The block is lifted; this person can write to you again.")


def blocks_lifted(language: str) -> str:
    """Confirm that all blocks are lifted. A toast, or a message."""
    return translate(language, "All blocks are lifted.")


def lift_all_question(language: str, *, count: int) -> str:
    """Ask whether really all blocks are to be lifted."""
    return translate(
        language, "Lift all blocks? Blocked people who could write to you again: {count}"
    ).format(count=number(language, count))


def _inbox_state(language: str, paused_until: datetime | None, *, zone: str) -> str:
    if paused_until is None:
        return translate(language, "open")
    if paused_until == FOR_EVER:
        return translate(language, "paused until you end the pause")
    return translate(language, "paused until {moment}").format(
        moment=moment(language, paused_until, zone=zone)
    )


def _refused_kinds(language: str, refused: ReceiveKind) -> str:
    if not refused:
        return translate(language, "nothing (all is welcome)")
    return enumerate_words(language, [receive_kind(language, kind) for kind in refused])
