"""What stands on inline buttons: at most 64 UTF-16 units each, so long names are cut."""

from datetime import datetime
from typing import Final

from accounts.preferences import ReceiveKind
from nekonymous_site.bot.catalogues import translate
from nekonymous_site.bot.phrases import isolate, language_name, moment, shorten
from nekonymous_site.bot.settings_texts import receive_kind, zone_name

_NICKNAME_UNITS: Final = 56  # beside an envelope and the two marks that isolate it


def inbox(language: str) -> str:
    """Fetch what waits."""
    return translate(language, "📬 Show messages")


def sender(language: str, *, nickname: str | None) -> str:
    """Mark a delivered message as somebody's, by their nickname if they have one."""
    if nickname is None:
        return translate(language, "✉️ Anonymous message")
    return translate(language, "✉️ {name}").format(name=isolate(shorten(nickname, most_units=_NICKNAME_UNITS)))


def repeat(language: str) -> str:
    """Mark a delivered message that may have arrived before."""
    return translate(language, "🔁 Perhaps a repeat")


def reply(language: str) -> str:
    """Answer a delivered message."""
    return translate(language, "↩️ Reply")


def nickname(language: str) -> str:
    """Name the writer of a delivered message."""
    return translate(language, "🏷 Nickname")


def block(language: str) -> str:
    """Block the writer of a delivered message."""
    return translate(language, "🚫 Block")


def unblock(language: str) -> str:
    """Lift the block on the writer of a delivered message."""
    return translate(language, "🕊 Unblock")


def withdraw(language: str) -> str:
    """Take back what was sent, if it was not delivered yet."""
    return translate(language, "🗑 Withdraw")


def write_another(language: str) -> str:
    """Write to the same link once more."""
    return translate(language, "✍️ Write another")


def reply_again(language: str) -> str:
    """Answer the same message once more."""
    return translate(language, "↩️ Reply again")


def share(language: str) -> str:
    """Send one's link to somebody."""
    return translate(language, "📤 Share")


def copy_link(language: str) -> str:
    """Copy one's link."""
    return translate(language, "📋 Copy link")


def send_anyway(language: str) -> str:
    """Send a message with the names that Telegram keeps with it."""
    return translate(language, "✅ Send it")


def do_not_send(language: str) -> str:
    """Throw away a message that waits for a yes."""
    return translate(language, "🗑 Do not send")


def remove_name(language: str) -> str:
    """Take away a display name or a nickname."""
    return translate(language, "🗑 Remove the name")


def cancel(language: str) -> str:
    """Stop what a prompt asks for."""
    return translate(language, "✖️ Cancel")


def back(language: str) -> str:
    """Go back to the screen before."""
    return translate(language, "◀️ Back")


def close(language: str) -> str:
    """Close a screen."""
    return translate(language, "✖️ Close")


def yes(language: str) -> str:
    """Agree to a question."""
    return translate(language, "✅ Yes")


def no(language: str) -> str:
    """Decline a question."""
    return translate(language, "✖️ No")


def next_page(language: str) -> str:
    """Go on in a list."""
    return translate(language, "Next ▶️")


def previous_page(language: str) -> str:
    """Go back in a list."""
    return translate(language, "◀️ Previous")


def settings_name(language: str) -> str:
    """Open the display name."""
    return translate(language, "✏️ Name")


def settings_language(language: str) -> str:
    """Open the choice of languages, recognisable in any."""
    return translate(language, "🌍 Language · زبان")


def settings_zone(language: str) -> str:
    """Open the choice of time zones."""
    return translate(language, "🕰 Time zone")


def settings_pause(language: str) -> str:
    """Open the pause."""
    return translate(language, "⏸ Pause")


def settings_receive(language: str) -> str:
    """Open the kinds of messages that are wanted."""
    return translate(language, "📥 What I receive")


def settings_blocks(language: str) -> str:
    """Open the list of blocks."""
    return translate(language, "🚫 Blocked people")


def pause_until(language: str, *, until: datetime, zone: str) -> str:
    """Pause until an hour of the clock."""
    return translate(language, "⏳ Until {moment}").format(moment=moment(language, until, zone=zone))


def pause_for_ever(language: str) -> str:
    """Pause until the pause is ended."""
    return translate(language, "♾ Until I end it")


def resume(language: str) -> str:
    """End a pause."""
    return translate(language, "⏯ End the pause")


def lift_all(language: str) -> str:
    """Lift every block."""
    return translate(language, "🕊 Lift all blocks")


def language_choice(language: str, *, chosen: bool) -> str:
    """Choose `language` itself, named in itself and marked when it is the one in use."""
    return _marked(language_name(language), chosen=chosen)


def zone_choice(language: str, *, zone: str, chosen: bool) -> str:
    """Choose a time zone, marked when it is the one in use."""
    return _marked(zone_name(language, zone), chosen=chosen)


def receive_choice(language: str, *, kind: ReceiveKind, wanted: bool) -> str:
    """Turn a kind of messages off or on, marked by what it is now."""
    return f"{'✅' if wanted else '🚫'} {receive_kind(language, kind)}"


def _marked(label: str, *, chosen: bool) -> str:
    return f"✅ {label}" if chosen else label
