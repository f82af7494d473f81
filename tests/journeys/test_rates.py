"""How fast one person may act, as they meet it: small figures, windows as long as a day, a real Redis."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import redis
from closed_inboxes import acquaint, fetch_only, has_nothing_open
from pytest_django.fixtures import Settings
from received import list_parts
from town import Town, count

from nekonymous_site import rate_limits
from nekonymous_site.bot import outcome_texts, refusal_texts, screen_texts
from nekonymous_site.rate_limits import Rates
from nekonymous_site.sandbox.people import Person

SPARE_DATABASE = 13
TOO_FAST = refusal_texts.too_fast("en")
TOO_MANY = refusal_texts.too_many_first("en")


@pytest.fixture
def town(lasting_town: Town) -> Town:
    """First messages are counted after a commit, so there must be one."""
    return lasting_town


@pytest.fixture
def windows(town: Town, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator["Windows"]:
    """Counts of this test alone, with patience for a busy machine; nothing is limited yet."""
    for name in ("CONNECT_SECONDS", "ANSWER_SECONDS", "LAST_TURN_SECONDS"):
        monkeypatch.setattr(rate_limits, name, 10.0)
    address = f"{settings.NEKO.redis_url.partition('?')[0]}?db={SPARE_DATABASE}"
    settings.NEKO = replace(settings.NEKO, redis_url=address)
    rate_limits._buckets_at.cache_clear()
    with redis.Redis.from_url(address) as client:
        client.flushdb()
        yield Windows(settings, client=client)
        client.flushdb()
    rate_limits._buckets_at.cache_clear()


class Windows:
    """The limits, and the end of all windows when a test wants it."""

    def __init__(self, settings: Settings, *, client: redis.Redis) -> None:
        self._settings = settings
        self._client = client

    def limit(self, *, updates: int = 10**6, first_messages: int = 10**6) -> None:
        """Begin to limit; what has been done so far does not count."""
        self.end()
        self._settings.NEKO_RATES = Rates(
            updates=updates,
            update_window_seconds=86_400,
            first_messages=first_messages,
            first_message_window_seconds=86_400,
        )

    def end(self) -> None:
        """Let every window pass: its bucket expires with it."""
        self._client.flushdb()


def _begins(town: Town, person: Person, link: str, text: str = "a first word") -> str:
    """Follow a link, write, and give the last word of the bot."""
    town.writes(person, link, text)
    town.settle()
    return person.sees()[-1].text


def test_first_messages_have_a_limit_and_go_through_again_later(town: Town, windows: Windows) -> None:
    _, link = town.owner()
    alice = town.person("Alice")
    windows.limit(first_messages=2)
    assert [_begins(town, alice, link) for _ in range(2)] == [outcome_texts.accepted("en")] * 2
    assert _begins(town, alice, link) == TOO_MANY
    assert count("tickets.ticket") == 2
    assert _begins(town, town.person("Carol"), link) == outcome_texts.accepted("en"), "only Alice's pace"
    windows.end()
    alice.says("the draft is still open")
    town.settle()
    assert alice.sees()[-1].text == outcome_texts.accepted("en")
    assert has_nothing_open(alice)


def test_answers_are_not_counted_among_first_messages_and_not_limited_with_them(
    town: Town, windows: Windows
) -> None:
    met = acquaint(town)
    windows.limit(first_messages=1)
    for _ in range(3):
        met.alice.says("an answer", reply_to=met.from_bob)
        town.settle()
        assert met.alice.sees()[-1].text == outcome_texts.reply_accepted("en")
    assert _begins(town, met.alice, met.link) == outcome_texts.accepted("en")
    assert _begins(town, met.alice, met.link) == TOO_MANY
    met.alice.says("an answer", reply_to=met.from_bob)
    town.settle()
    assert met.alice.sees()[-1].text == outcome_texts.reply_accepted("en")


def test_what_is_refused_for_another_reason_is_not_counted(town: Town, windows: Windows) -> None:
    bob, link = town.owner()
    bob.says("/settings")
    town.settle()
    bob.taps_data(bob.sees()[-1], "st:pause:ever")
    alice = town.person("Alice")
    windows.limit(first_messages=1)
    assert [_begins(town, alice, link) for _ in range(3)] == [outcome_texts.not_taking("en")] * 3
    bob.taps_data(bob.sees()[-1], "st:pause:end")
    assert _begins(town, alice, link) == outcome_texts.accepted("en")


@pytest.mark.parametrize("writing", ["an album", "a long text", "a question"])
def test_what_comes_in_several_steps_is_limited_and_counted_like_a_text(
    town: Town, windows: Windows, writing: str
) -> None:
    _, link = town.owner()
    alice = town.person("Alice")

    def begins() -> str:
        alice.opens(link)
        _write_in_steps(town, alice, writing)
        return alice.sees()[-1].text

    windows.limit(first_messages=1)
    assert begins() == outcome_texts.accepted("en")
    assert begins() == TOO_MANY
    assert _begins(town, alice, link) == TOO_MANY
    assert count("tickets.ticket") == 1
    assert count("accounts.composition") == 0


def _write_in_steps(town: Town, person: Person, writing: str) -> None:
    if writing == "an album":
        person.sends_album([("photo", "one"), ("photo", "two")])
    elif writing == "a long text":
        person.says("many words " * 250)
    else:
        person.sends("document")
        town.settle()
        person.taps(person.sees()[-1], "y:")
    town.settle()


def _heard(person: Person, *, since: int) -> list[str]:
    return [message.text for message in person.sees() if message.from_bot and message.message_id > since]


def test_whoever_acts_too_fast_is_told_once_and_what_is_too_much_is_dropped(
    town: Town, windows: Windows
) -> None:
    met = acquaint(town)
    windows.limit(updates=3)
    last = met.alice.sees()[-1].message_id
    met.alice.opens(met.link)
    met.alice.says("a first word")
    for _ in range(5):
        met.alice.says("one more", reply_to=met.from_bob)
    town.settle()
    assert _heard(met.alice, since=last) == [
        outcome_texts.compose_prompt("en", name=None),
        outcome_texts.accepted("en"),
        outcome_texts.reply_accepted("en"),
        TOO_FAST,
    ]
    assert count("accounts.unread") == 2
    assert {answer.status for answer in town.answers} == {200}, "nothing comes again"
    windows.end()
    met.alice.says("slowly now", reply_to=met.from_bob)
    town.settle()
    assert met.alice.sees()[-1].text == outcome_texts.reply_accepted("en")
    assert count("accounts.unread") == 3


def test_one_persons_pace_holds_up_nobody_else(town: Town, windows: Windows) -> None:
    met = acquaint(town)
    windows.limit(updates=2)
    for _ in range(4):
        met.alice.says("/help")
    met.bob.says("hello again", reply_to=met.from_alice)
    town.settle()
    assert met.bob.sees()[-1].text == outcome_texts.reply_accepted("en")
    windows.end()
    assert fetch_only(town, met.alice).text == "hello again"


def test_taps_that_are_too_fast_get_a_toast_each_and_do_nothing(town: Town, windows: Windows) -> None:
    met = acquaint(town)
    windows.limit(updates=1)
    last = met.alice.sees()[-1].message_id
    met.alice.says("/help")
    taps = [met.alice.taps(met.from_bob, "b:") for _ in range(3)]
    town.settle()
    assert [met.alice.awaits_toast(tap).text for tap in taps] == [TOO_FAST] * 3
    assert count("accounts.block") == 0
    assert len(_heard(met.alice, since=last)) == 1
    windows.end()
    tap = met.alice.taps(met.from_bob, "b:")
    town.settle()
    assert met.alice.awaits_toast(tap).text == outcome_texts.blocked("en")
    assert count("accounts.block") == 1


def test_a_message_that_is_dropped_behind_a_dropped_tap_is_told_all_the_same(
    town: Town, windows: Windows
) -> None:
    """The words over a button say nothing of the message that is lost after it."""
    met = acquaint(town)
    windows.limit(updates=1)
    met.alice.says("/help")
    met.alice.taps(met.from_bob, "i:")
    met.alice.says("this is dropped", reply_to=met.from_bob)
    met.alice.says("this too", reply_to=met.from_bob)
    town.settle()
    assert [message.text for message in met.alice.sees()].count(TOO_FAST) == 1
    assert count("accounts.unread") == 0


def test_a_newcomer_who_is_too_fast_is_told_in_their_language(town: Town, windows: Windows) -> None:
    windows.limit(updates=0)
    alice = town.person("آلیس", "fa")
    alice.says("/start")
    alice.says("/start")
    town.settle()
    assert _heard(alice, since=0) == [
        screen_texts.first_contact("fa", contact=None),
        refusal_texts.too_fast("fa"),
    ]


def test_an_album_that_has_begun_is_not_cut_by_the_rate(town: Town, windows: Windows) -> None:
    """Up to twice the rate: what belongs together arrives together."""
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.says("/start")
    town.settle()
    windows.limit(updates=4)
    alice.opens(link)
    alice.sends_album([("photo", str(number)) for number in range(6)])
    town.settle()
    windows.limit(updates=1000)
    bob.says("/inbox")
    town.settle()
    assert [part.caption for part in list_parts(bob) if part.kind == "photo"] == list("012345")
