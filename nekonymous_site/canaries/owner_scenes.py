"""The owner of the link: what they set, receive, name, answer and block."""

from typing import Final

from nekonymous_site.canaries.installation import WalkStopped, make_word, wait_for
from nekonymous_site.canaries.sending_scenes import Senders
from nekonymous_site.canaries.walk import PATIENT_SECONDS, Walk, chapter
from nekonymous_site.sandbox.people import Person, SeenMessage

_ZONE: Final = "Asia/Dushanbe"
_WAITING: Final = "SELECT count(*) FROM accounts.unread"
_BLOCKS: Final = "SELECT count(*) FROM accounts.block"


def begin(walk: Walk) -> tuple[Person, str]:
    """Somebody gets a link, and sets language, time zone and a name that others see when they open it."""
    with chapter("an owner sets everything"):
        owner = walk.meet()
        owner.says("/start")
        link = owner.awaits(lambda seen: seen.find_start_link() is not None, seconds=PATIENT_SECONDS)
        found = str(link.find_start_link())
        walk.mark("link slug", found.rpartition("=")[2])
        walk.mark("time zone", _ZONE)
        owner.says("/settings")
        settings = owner.awaits(lambda seen: seen.has_button("st:name"), seconds=PATIENT_SECONDS)
        for change in ("st:language:fa", "st:language:en", f"st:zone:{_ZONE}", "st:receive", "st:pause:1"):
            owner.awaits_toast(owner.taps_data(settings, change), seconds=PATIENT_SECONDS)
        owner.awaits_toast(owner.taps_data(settings, "st:pause:end"), seconds=PATIENT_SECONDS)
        owner.taps_data(settings, "st:name")
        owner.awaits("/cancel", seconds=PATIENT_SECONDS)
        walk.look("while a name is asked for")
        name = walk.mark("display name", make_word("Kanarya of the house"))
        owner.says(name)
        owner.awaits(name, seconds=PATIENT_SECONDS)
    return owner, found


def fetch_all(walk: Walk, owner: Person, senders: Senders) -> None:
    """The owner fetches everything over a bad line."""
    with chapter("the owner fetches everything"):
        owner.awaits("📬", after=0, seconds=PATIENT_SECONDS)
        walk.look("while messages wait")
        for fault, method in (
            ("ok_html", "sendMessage"),
            ("server_error_json", "sendDocument"),
            ("reset_after", "sendMediaGroup"),
        ):
            walk.break_next(fault, owner, method=method)
        owner.says("/inbox")
        wait_for(lambda: walk.count(_WAITING) == 0, what="an inbox empties", seconds=PATIENT_SECONDS)
        walk.mark_files(owner)
        for message in owner.sees():
            walk.mark_buttons(message)
        if any(senders.withdrawn_text in message.text for message in owner.sees()):
            raise WalkStopped("what was taken back was delivered")


def name_and_answer(walk: Walk, owner: Person, senders: Senders) -> None:
    """The owner gives a nickname and answers by button and by gesture."""
    with chapter("the owner names and answers"):
        message = _delivered(owner, senders.text)
        owner.taps(message, "n:")
        owner.awaits("/cancel", seconds=PATIENT_SECONDS)
        walk.look("while a nickname is asked for")
        nickname = walk.mark("nickname", make_word("قناری کوچک"))
        owner.says(nickname)
        owner.awaits(nickname, seconds=PATIENT_SECONDS)
        for text in (
            walk.mark("reply", make_word("قناری پاسخ می‌دهد")),
            walk.mark("reply", make_word("again")),
        ):
            owner.says(text, reply_to=message)
            owner.awaits("✅", seconds=PATIENT_SECONDS)
        owner.taps_data(message, "r:" + "A" * 43)
        owner.taps_data(message, "w:" + "A" * 43)
        senders.text_sender.awaits("📬", after=0, seconds=PATIENT_SECONDS)
        senders.text_sender.says("/inbox")
        answer = senders.text_sender.awaits(text, seconds=PATIENT_SECONDS)
        walk.mark_buttons(answer)


def block_and_lift(walk: Walk, owner: Person, senders: Senders, *, link: str) -> None:
    """The owner blocks somebody, who reads the neutral words, and lifts it again."""
    with chapter("the owner blocks and lifts"):
        message = _delivered(owner, senders.blocked_text)
        owner.awaits_toast(owner.taps(message, "b:"), seconds=PATIENT_SECONDS)
        wait_for(lambda: walk.count(_BLOCKS), what="a block")
        blocked = senders.blocked_later
        blocked.opens(link)
        blocked.awaits(lambda seen: seen.has_button("k:"), seconds=PATIENT_SECONDS)
        refused = walk.mark("refused text", make_word("behind a block"))
        blocked.says(refused)
        blocked.awaits(lambda _seen: True, seconds=PATIENT_SECONDS)
        walk.look("while somebody is blocked")
        # The buttons change behind the toast, in a call of their own.
        message = owner.awaits(
            lambda seen: senders.blocked_text in seen.text and seen.has_button("u:"),
            after=0,
            seconds=PATIENT_SECONDS,
        )
        owner.awaits_toast(owner.taps(message, "u:"), seconds=PATIENT_SECONDS)


def _delivered(owner: Person, text: str) -> SeenMessage:
    return next(seen for seen in owner.sees() if seen.is_protected and text in seen.text)
