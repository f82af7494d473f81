"""Every text that the bot can say, each with what it may have to say at its longest."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from types import ModuleType
from typing import Final

from accounts.preferences import FOR_EVER, ReceiveKind
from nekonymous_site.bot import (
    button_texts,
    menu_labels,
    operator_texts,
    outcome_texts,
    refusal_texts,
    screen_texts,
    settings_texts,
    unshown_texts,
)
from nekonymous_site.bot.content_kinds import Unsendable
from nekonymous_site.bot.message_content import Revealed
from nekonymous_site.workflows.ticket_content import ContentKind
from outbox.send_result import PayloadRefusal

TextFunction = Callable[..., str]
Given = dict[str, object]

TEXT_MODULES: Final[tuple[ModuleType, ...]] = (
    button_texts,
    menu_labels,
    operator_texts,
    outcome_texts,
    refusal_texts,
    screen_texts,
    settings_texts,
    unshown_texts,
)

# What people can be called at most: 64 graphemes, 4 UTF-16 units each on the average; and what marks time.
NAMES: Final = (
    "Alex",
    "W" * 64,
    "می\u200cخواهم" * 8,
    "\N{FAMILY}\N{EMOJI MODIFIER FITZPATRICK TYPE-6}" * 64,
    "\N{WAVING WHITE FLAG}\ufe0f\u200d\N{RAINBOW}" * 42,
    "x\u0301\u0302\u0303" * 64,
    "שם " * 20,
)
LINK: Final = f"https://t.me/{'b' * 32}?start={'s' * 32}"
URL: Final = "https://example.org/" + "p" * 200
CONTACT: Final = "@operator_of_this_bot, operator@example.org, " + "x" * 200
LATE: Final = datetime(2027, 9, 22, 20, 0, tzinfo=UTC)  # the 31st of a month with a long name
LATE_DAY: Final = LATE.date()
NUMBER: Final = "3F9A0C"
# What is somebody else's, by the parameter that carries it: it must stay inside its isolates.
FOREIGN: Final = ("name", "nickname", "current", "label", "number", "link", "contact", "source_url", "names")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One text function with what it is given."""

    say: TextFunction
    given: tuple[Given, ...]

    def __str__(self) -> str:
        return f"{self.say.__module__.rpartition('.')[2]}.{self.say.__name__}"

    def texts(self, language: str) -> Iterator[str]:
        """Say it in every way."""
        for given in self.given:
            yield self.say(language, **given)


def _each(name: str, values: tuple[object, ...], **others: object) -> tuple[Given, ...]:
    return tuple({name: value, **others} for value in values)


_COUNTS: Final = (0, 1, 12, 50, 12_345)
_NAMES_OR_NONE: Final = (None, *NAMES)
_PLACES: Final[tuple[object, ...]] = (*settings_texts.TIME_ZONES, "Antarctica/DumontDUrville")
_NOTHING: Final[tuple[Given, ...]] = ({},)
_SUSPENDED: Final = _each("contact", (None, CONTACT), until=LATE, zone="Asia/Tehran")
# The longest way to say what a name is depends on the language, so each kind has all twenty lines once.
_REVEALED: Final[tuple[object, ...]] = (
    [(Revealed.FILE_NAME.name, "a.pdf")],
    [(what.name, name) for what in Revealed for name in NAMES],
    *([(what.name, f"{number}" + "سند.pdf" * 900) for number in range(50)] for what in Revealed),
)
_SETTINGS: Final[tuple[Given, ...]] = tuple(
    {"name": name, "paused_until": until, "zone": "UTC", "refused": refused, "blocked": 500}
    for name in _NAMES_OR_NONE
    for until in (None, LATE, FOR_EVER)
    for refused in (ReceiveKind(0), ReceiveKind.TEXT, ~ReceiveKind(0))
)

_GIVEN: Final[dict[TextFunction, tuple[Given, ...]]] = {
    button_texts.sender: _each("nickname", _NAMES_OR_NONE),
    button_texts.pause_until: _each("zone", _PLACES, until=LATE),
    button_texts.language_choice: _each("chosen", (True, False)),
    button_texts.zone_choice: _each("zone", _PLACES, chosen=True),
    button_texts.receive_choice: (
        *_each("kind", tuple(ReceiveKind), wanted=True),
        *_each("kind", tuple(ReceiveKind), wanted=False),
    ),
    outcome_texts.compose_prompt: _each("name", _NAMES_OR_NONE),
    outcome_texts.reply_prompt: _each("nickname", _NAMES_OR_NONE),
    outcome_texts.notice: _each("count", _COUNTS),
    outcome_texts.already_coming: _each("count", _COUNTS),
    outcome_texts.progress: _each("delivered", _COUNTS, total=12_345),
    outcome_texts.progress_done: _each("delivered", _COUNTS),
    outcome_texts.progress_left: _each("delivered", _COUNTS, left=12_345),
    outcome_texts.sender_explained: (
        *_each("number", (None, NUMBER, "012345"), on=LATE_DAY),
        {"number": NUMBER, "on": None},
        {"number": None, "on": None},
    ),
    outcome_texts.nickname_prompt: _each("current", _NAMES_OR_NONE),
    outcome_texts.nickname_set: _each("name", NAMES),
    refusal_texts.unsendable: tuple(
        {"why": why, "draft_open": draft_open}
        for why in Unsendable
        if why is not Unsendable.SERVICE
        for draft_open in (True, False)
    ),
    refusal_texts.kind_refused: _each("kind", tuple(ReceiveKind), draft_open=True)
    + _each("kind", tuple(ReceiveKind), draft_open=False),
    refusal_texts.suspended: _SUSPENDED,
    refusal_texts.banned: _each("contact", (None, CONTACT)),
    refusal_texts.revealing_question: _each("names", _REVEALED),
    screen_texts.first_contact: _each("contact", (None, CONTACT)),
    screen_texts.welcome: _each("link", (LINK,)),
    screen_texts.own_link: _each("link", (LINK,)),
    screen_texts.help_screen: _each("contact", (None, CONTACT), source_url=URL)
    + _each("contact", (None, CONTACT), source_url=None),
    screen_texts.privacy_screen: _each("contact", (None, CONTACT), source_url=URL)
    + _each("contact", (None, CONTACT), source_url=None),
    settings_texts.settings_screen: _SETTINGS,
    settings_texts.name_prompt: _each("current", _NAMES_OR_NONE),
    settings_texts.name_set: _each("name", NAMES),
    settings_texts.paused: _each("zone", _PLACES, until=LATE),
    settings_texts.receive_kind: _each("kind", tuple(ReceiveKind)),
    settings_texts.zone_name: _each("zone", _PLACES),
    settings_texts.zone_screen: _each("zone", _PLACES, now=LATE),
    settings_texts.blocks_screen: _each("pages", (1, 50), count=500, page=1),
    settings_texts.block_entry: _each("label", (*NAMES, f"#{NUMBER}"), on=LATE_DAY)
    + _each("on", tuple(date(2026, month, 20) for month in range(1, 13)), label="W" * 64),
    settings_texts.lift_all_question: _each("count", _COUNTS),
    unshown_texts.not_shown: tuple(
        {"kind": kind, "is_album": is_album, "why": why, "is_gone": is_gone}
        for kind in (None, *ContentKind)
        for is_album in (True, False)
        for why in (None, *PayloadRefusal)
        for is_gone in (True, False)
    ),
}

TOASTS: Final[frozenset[TextFunction]] = frozenset(
    {
        outcome_texts.button_dead,
        outcome_texts.cancelled,
        outcome_texts.naming_cancelled,
        outcome_texts.prompt_over,
        outcome_texts.withdraw_answer,
        outcome_texts.already_coming,
        outcome_texts.inbox_empty,
        outcome_texts.sender_explained,
        outcome_texts.repeat_explained,
        outcome_texts.blocked,
        outcome_texts.unblocked,
        outcome_texts.blocks_full,
        outcome_texts.nickname_removed,
        outcome_texts.nicknames_full,
        refusal_texts.too_fast,
        refusal_texts.revealing_dropped,
        screen_texts.language_changed,
        settings_texts.name_removed,
        settings_texts.paused,
        settings_texts.paused_for_ever,
        settings_texts.resumed,
        settings_texts.block_lifted,
        settings_texts.blocks_lifted,
    }
)


def text_functions(module: ModuleType) -> Iterator[TextFunction]:
    """The functions of a module that say something in a language."""
    for name, function in inspect.getmembers(module, inspect.isfunction):
        own = function.__module__ == module.__name__ and not name.startswith("_")
        if own and next(iter(inspect.signature(function).parameters), None) == "language":
            yield function


def is_button(function: TextFunction) -> bool:
    """Whether a text stands on a button."""
    modules = (button_texts.__name__, menu_labels.__name__)
    return function.__module__ in modules or function is settings_texts.block_entry


# What the first words, and the screen about privacy, must not leave out.
FIRST_WORDS: Final = {
    "en": ["anonymous", "encrypted until", "erased", "30 days", "Whoever runs", "not end-to-end", "18"],
    "fa": [
        "ناشناس",
        "تا هنگام تحویل رمزنگاری‌شده",
        "پاک",
        "۳۰ روز",
        "گردانندگان",
        "سرتاسری در کار نیست",
        "۱۸",
    ],
}
PLAIN_WORDS: Final = {
    "en": {
        "what it is not": ["not end-to-end encrypted", "not zero-knowledge", "no perfect anonymity"],
        "whom to trust": ["Telegram", "host", "whoever runs this bot"],
        "how long": ["30 days", "a day", "week", "month", "as long as there is an account"],
        "what cannot be prevented": ["screenshots", "called back", "not check who"],
        "for whom": ["18"],
    },
    "fa": {
        "what it is not": ["رمزنگاری سرتاسری ندارد", "«دانش صفر» نیست", "ناشناسی کامل هم نمی‌دهد"],
        "whom to trust": ["تلگرام", "میزبان", "گردانندگان بات"],
        "how long": ["۳۰ روز", "یک روز", "هفته", "ماه", "تا وقتی حساب هست"],
        "what cannot be prevented": ["اسکرین‌شات", "پس‌گرفتنی نیست", "بررسی نمی‌کنم"],
        "for whom": ["۱۸"],
    },
}

# A function that is given nothing but the language speaks for itself; any other has to be listed above.
SPOKEN: Final[tuple[Spoken, ...]] = tuple(
    Spoken(say=function, given=_GIVEN.get(function, _NOTHING))
    for module in TEXT_MODULES
    for function in text_functions(module)
)

_ISOLATED: Final = re.compile("\u2068[^\u2068\u2069]*\u2069")


def outside_isolates(text: str) -> str:
    """What is left of a text when everything inside isolates is blotted out."""
    return _ISOLATED.sub("\u2068\u2069", text)
