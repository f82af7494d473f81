"""People write through one link, each in another way and each over another bad line."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from nekonymous_site.canaries.installation import make_word, wait_for
from nekonymous_site.canaries.walk import PATIENT_SECONDS, Walk, chapter
from nekonymous_site.sandbox.people import Person, SeenMessage

_GATHERING: Final = "SELECT count(*) FROM accounts.composition WHERE ready_at IS NOT NULL"
_PASTED_CHARACTERS: Final = 9000


@dataclass(frozen=True, slots=True, kw_only=True)
class Senders:
    """Who has written what the owner will be brought."""

    text_sender: Person
    text: str
    blocked_later: Person
    blocked_text: str
    withdrawn_text: str
    waiting: tuple[Person, ...]


def send_all(walk: Walk, link: str) -> Senders:
    """Let everything be written; the acknowledgements of most come later, since their line is bad."""
    with chapter("people write"):
        text_sender, text = _write_a_text(walk, link, fault="server_error_html", language="fa")
        blocked_later, blocked_text = _write_a_text(walk, link, fault="unknown_union_in_answer")
        withdrawn_text = _take_a_text_back(walk, link)
        waiting = tuple(scene(walk, link) for scene in _SCENES)
    with chapter("the senders are told that it was sent"):
        for person in (text_sender, blocked_later, *waiting):
            person.awaits(_is_accepted, after=0, seconds=PATIENT_SECONDS)
    return Senders(
        text_sender=text_sender,
        text=text,
        blocked_later=blocked_later,
        blocked_text=blocked_text,
        withdrawn_text=withdrawn_text,
        waiting=waiting,
    )


def _is_accepted(seen: SeenMessage) -> bool:
    return "✅" in seen.text


def _write_a_text(walk: Walk, link: str, *, fault: str, language: str = "en") -> tuple[Person, str]:
    person = walk.opens(link, language=language)
    text = walk.mark("text", make_word("قناری می‌نویسد، a text"))
    last_name = walk.mark("last name", make_word("Kanaryas"))
    walk.break_next(fault, person)
    person.says(
        text,
        extra_fields={
            "from": {"id": person.id, "is_bot": False, "first_name": "K", "last_name": last_name},
            "forward_origin": {"type": walk.mark("unknown member", make_word("later")), "date": 0},
        },
    )
    return person, text


def _take_a_text_back(walk: Walk, link: str) -> str:
    person = walk.opens(link)
    text = walk.mark("withdrawn text", make_word("taken back"))
    person.says(text)
    accepted = person.awaits("✅", seconds=PATIENT_SECONDS)
    walk.mark_buttons(accepted)
    walk.look("before a message is taken back")
    person.awaits_toast(person.taps(accepted, "w:"), seconds=PATIENT_SECONDS)
    return text


def _send_a_named_file(walk: Walk, link: str) -> Person:
    person = walk.opens(link)
    caption = walk.mark("caption", make_word("a caption of a file"))
    name = walk.mark("file name", make_word("cv") + ".pdf")
    person.sends("document", caption=caption, extra={"file_name": name})
    return _say_yes(walk, person, fault="server_error_json")


def _send_music(walk: Walk, link: str) -> Person:
    person = walk.opens(link)
    extra = {
        "performer": walk.mark("performer", make_word("قناری")),
        "title": walk.mark("title", make_word("a song")),
    }
    person.sends("audio", extra=extra)
    return _say_yes(walk, person, fault="ok_without_result")


def _say_yes(walk: Walk, person: Person, *, fault: str) -> Person:
    """Names that Telegram keeps on files are asked about first; look while the question is open."""
    question = person.awaits(lambda seen: seen.has_button("y:"), seconds=PATIENT_SECONDS)
    walk.mark_files(person)
    walk.look("while a question is open")
    walk.break_next(fault, person)
    person.taps(question, "y:")
    return person


def _send_a_sticker(walk: Walk, link: str) -> Person:
    person = walk.opens(link)
    person.sends("sticker", extra={"set_name": walk.mark("sticker set", make_word("cats").replace("-", "_"))})
    return _say_yes(walk, person, fault="reset_before")


def _send_an_album(walk: Walk, link: str) -> Person:
    person = walk.opens(link)
    walk.break_next("rate_limited_without_parameters", person)
    caption = walk.mark("album caption", make_word("قناری در یک آلبوم"))
    person.sends_album([("photo", caption), ("photo", "")])
    wait_for(lambda: walk.count(_GATHERING), what="an album gathers")
    walk.mark_files(person)
    walk.look("while an album gathers")
    return person


def _paste_a_long_text(walk: Walk, link: str) -> Person:
    person = walk.opens(link)
    walk.break_next("reset_after", person)
    word = walk.mark("pasted text", make_word("قناری"))
    person.pastes((word + " ") * (_PASTED_CHARACTERS // len(word)))
    return person


def _is_refused(walk: Walk, link: str) -> Person:
    """Kinds that tell too much are refused, and then a text is sent after all."""
    person = walk.opens(link)
    phone = walk.mark("phone number", make_word("+4917000000")[:11] + "71930")
    person.sends("contact", extra={"phone_number": phone})
    person.awaits(lambda _seen: True, seconds=PATIENT_SECONDS)
    latitude = 35.689271
    walk.mark("latitude", str(latitude))
    person.sends("location", extra={"latitude": latitude})
    person.awaits(lambda _seen: True, seconds=PATIENT_SECONDS)
    walk.break_next("rate_limited", person)
    person.says(walk.mark("text", make_word("after all")))
    return person


_SCENES: Final[tuple[Callable[[Walk, str], Person], ...]] = (
    _send_a_named_file,
    _send_music,
    _send_a_sticker,
    _send_an_album,
    _paste_a_long_text,
    _is_refused,
)
