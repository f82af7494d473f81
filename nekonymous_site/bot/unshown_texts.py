"""What is said of messages that Telegram refuses to show. Each function gives one finished text."""

from collections.abc import Callable
from typing import Final

from nekonymous_site.bot.catalogues import translate
from nekonymous_site.workflows.ticket_content import ContentKind
from outbox.send_result import PayloadRefusal

_KIND_NAMES: Final[dict[ContentKind | None, Callable[[str], str]]] = {
    None: lambda language: translate(language, "message"),
    ContentKind.TEXT: lambda language: translate(language, "text"),
    ContentKind.PHOTO: lambda language: translate(language, "photo"),
    ContentKind.VIDEO: lambda language: translate(language, "video"),
    ContentKind.ANIMATION: lambda language: translate(language, "GIF"),
    ContentKind.DOCUMENT: lambda language: translate(language, "file"),
    ContentKind.VOICE: lambda language: translate(language, "voice message"),
    ContentKind.AUDIO: lambda language: translate(language, "audio file"),
    ContentKind.STICKER: lambda language: translate(language, "sticker"),
    ContentKind.VIDEO_NOTE: lambda language: translate(language, "round video"),
}
_REASONS: Final[dict[PayloadRefusal | None, Callable[[str], str]]] = {
    PayloadRefusal.READER_FORBIDS: lambda language: translate(
        language,
        "Your Telegram settings do not let me send you voice messages and round videos. You will find it "
        "there under Privacy, Voice Messages.",
    ),
    PayloadRefusal.FILE_GONE: lambda language: translate(
        language, "Telegram does not find the file any more."
    ),
    PayloadRefusal.OTHER: lambda language: translate(language, "Telegram refuses to show it."),
    None: lambda language: translate(language, "It does not open: what is stored of it is damaged."),
}


def not_shown(
    language: str, *, kind: ContentKind | None, is_album: bool, why: PayloadRefusal | None, is_gone: bool
) -> str:
    """Say what of a delivery could not be shown, why, and whether it waits or is gone.

    It stands for any number of messages. `kind` is None where nobody knows; a `why` of None means that the
    message does not open.
    """
    name = translate(language, "album") if is_album else _KIND_NAMES[kind](language)
    head = translate(language, "⚠️ Not shown: {kind}").format(kind=name)
    end = (
        translate(language, "It can't be shown to you and was removed.")
        if is_gone
        else translate(
            language, "It is kept until 30 days have passed since it was sent, and /inbox tries it again."
        )
    )
    return f"{head}\n\n{_REASONS[why](language)} {end}"


def removed_unshown(language: str) -> str:
    """Tell a sender that something of theirs can never be shown; not which, not to whom, not since when."""
    return translate(
        language,
        "One of your messages could not be shown and was removed: Telegram does not find its file any more. "
        "You can send the file again.",
    )
