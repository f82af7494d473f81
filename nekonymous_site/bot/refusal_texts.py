"""Why something was not sent as it came, and what its sender can do now. Each function gives one text."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from accounts.preferences import ReceiveKind
from nekonymous_site.bot.catalogues import translate
from nekonymous_site.bot.content_kinds import Unsendable
from nekonymous_site.bot.phrases import isolate, moment, shorten

# So many names, so long, fit a message with room to spare.
_MOST_NAMES: Final = 20
_NAME_UNITS: Final = 80

_REASONS: Final[dict[Unsendable, Callable[[str], str]]] = {
    Unsendable.EMPTY: lambda language: translate(
        language, "There is nothing to read in this message, so it was not sent."
    ),
    Unsendable.CONTACT: lambda language: translate(
        language, "A contact card shows who somebody is, so it was not sent."
    ),
    Unsendable.PLACE: lambda language: translate(
        language, "A place can tell where you are, so it was not sent."
    ),
    Unsendable.POLL: lambda language: translate(language, "I can't pass on a poll, so it was not sent."),
    Unsendable.DICE: lambda language: translate(
        language, "A die would be rolled again on the other side, so it was not sent."
    ),
    Unsendable.STORY: lambda language: translate(
        language, "A story shows who posted it, so it was not sent."
    ),
    Unsendable.PAID_MEDIA: lambda language: translate(
        language, "I can't pass on paid media, so this was not sent."
    ),
    Unsendable.GIFT: lambda language: translate(
        language, "Thank you, but I can't pass on a gift to anybody."
    ),
    Unsendable.CHECKLIST: lambda language: translate(
        language, "I can't pass on a checklist, so it was not sent."
    ),
    Unsendable.GIVEAWAY: lambda language: translate(
        language, "I can't pass on a giveaway, so it was not sent."
    ),
    Unsendable.GAME: lambda language: translate(language, "I can't pass on a game, so it was not sent."),
    Unsendable.INVOICE: lambda language: translate(
        language, "I can't pass on an invoice, so it was not sent."
    ),
    Unsendable.UNKNOWN: lambda language: translate(
        language, "I can't pass on this kind of message, so it was not sent."
    ),
}
_KIND_REFUSALS: Final[dict[ReceiveKind, Callable[[str], str]]] = {
    ReceiveKind.TEXT: lambda language: translate(language, "This person takes no texts."),
    ReceiveKind.PHOTO: lambda language: translate(language, "This person takes no photos."),
    ReceiveKind.VIDEO: lambda language: translate(language, "This person takes no videos and no GIFs."),
    ReceiveKind.VOICE: lambda language: translate(
        language, "This person takes no voice messages and no round videos."
    ),
    ReceiveKind.DOCUMENT: lambda language: translate(language, "This person takes no files and no music."),
    ReceiveKind.STICKER: lambda language: translate(language, "This person takes no stickers."),
}


def unsendable(language: str, *, why: Unsendable, draft_open: bool) -> str:
    """Say why a message was not sent; a draft that was open still is. Service messages have no answer."""
    reason = _REASONS[why](language)
    return f"{reason} {_still_open(language)}" if draft_open else reason


def kind_refused(language: str, *, kind: ReceiveKind, draft_open: bool) -> str:
    """Say that the recipient takes no messages of one kind, and whether the next one still goes to them."""
    another_way = (
        translate(language, "Your message was not sent; you can still say it another way.")
        if draft_open
        else translate(language, "Your message was not sent; reply once more, another way.")
    )
    return f"{_KIND_REFUSALS[kind](language)} {another_way}"


def too_many_questions(language: str) -> str:
    """Say that a message was not sent since many wait for a yes already."""
    return translate(
        language,
        "Not sent: several of your messages wait for your yes. Answer those first, or drop them all with "
        "/cancel.",
    )


def suspended(language: str, *, until: datetime, zone: str, contact: str | None) -> str:
    """Tell somebody until when they cannot send, and whom to ask."""
    text = translate(language, "🚫 You cannot send messages here until {moment}.").format(
        moment=moment(language, until, zone=zone)
    )
    return text + _appeal(language, contact=contact)


def banned(language: str, *, contact: str | None) -> str:
    """Tell somebody that they cannot send any more, and whom to ask."""
    return translate(language, "🚫 You cannot send messages here any more.") + _appeal(
        language, contact=contact
    )


def too_fast(language: str) -> str:
    """Say that an update was dropped by the limit of a few seconds. A toast, or a message."""
    return translate(
        language,
        "Too fast: what you sent last was not accepted. Wait a few seconds and send it again.",
    )


def too_many_first(language: str) -> str:
    """Say that a first message was dropped by the hourly limit of new conversations."""
    return translate(
        language,
        "You have begun many conversations this hour, so this one was not sent. Try again later; answers go "
        "out all the same.",
    )


def too_long(language: str) -> str:
    """Say that a text of more than ten parts was not sent."""
    return translate(
        language,
        "This makes more than ten messages, so nothing was sent. Shorten it, or send it in smaller pieces.",
    )


def gathering_cut(language: str) -> str:
    """Say that a part did not fit into an album or a long text any more."""
    return translate(
        language, "Not sent: this part did not fit into one message any more. Send it on its own."
    )


def revealing_question(language: str, *, names: Sequence[tuple[str, str]]) -> str:
    """Show the names that Telegram keeps with what is to be sent, and ask whether to send it all the same.

    Each comes with what it is, a word of `message_content.Revealed`, and is shown once; long ones are cut and
    more than twenty are left out.
    """
    different = list(dict.fromkeys(names))
    shown = [
        _REVEALED[what](language).format(name=isolate(shorten(name, most_units=_NAME_UNITS)))
        for what, name in different[:_MOST_NAMES]
    ]
    left_out = ["…"] if len(different) > _MOST_NAMES else []
    return translate(
        language,
        "👀 These names go along. The recipient sees them, and I can't take them off:\n\n{names}\n\n"
        "Send it all the same?",
    ).format(names="\n".join([*shown, *left_out]))


_REVEALED: Final[dict[str, Callable[[str], str]]] = {
    "FILE_NAME": lambda language: translate(language, "• File name: {name}"),
    "TITLE": lambda language: translate(language, "• Title: {name}"),
    "PERFORMER": lambda language: translate(language, "• Performer: {name}"),
    "STICKER_SET": lambda language: translate(language, "• Sticker set: {name}"),
}


def revealing_dropped(language: str) -> str:
    """Confirm that a message with names on it is not sent."""
    return translate(language, "It was not sent and is thrown away.")


def _still_open(language: str) -> str:
    return translate(language, "You can still write your message.")


def _appeal(language: str, *, contact: str | None) -> str:
    if not contact:
        return ""
    return "\n\n" + translate(language, "If you think that this is a mistake, write to {contact}").format(
        contact=isolate(contact)
    )
