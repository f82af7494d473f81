"""Several workers at one lane, workers that stand still past their lease, and readers who go away."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Final

import psycopg

from nekonymous_site.failpoints import Action, Boundary, Entry, Moment, boundary_name
from nekonymous_site.fault_lab.crew import Role
from nekonymous_site.fault_lab.lab import PATIENT_SECONDS, Lab
from nekonymous_site.fault_lab.leftovers import find_in_tables
from nekonymous_site.fault_lab.letters import Letter, is_notice
from nekonymous_site.fault_lab.scenario import Findings, Scenario

FULL_INBOX: Final = 50
MOST_WEEKS: Final = 2
PARTS: Final = 3
LETTERS_OF_A_WRITER: Final = 8
READ_BEFORE_LEAVING: Final = 2
A_WEEK: Final = timedelta(days=7)
HANG_SECONDS: Final = 4.0


def scenarios() -> Iterator[Scenario]:
    """Two workers, stale ones, and a recipient who comes back."""
    yield Scenario(name="leases: two workers and the sweeper at one full inbox", play=_play_full_inbox)
    for point in (
        Moment.BEFORE_CALL,
        Moment.AFTER_CALL,
        boundary_name(Entry.LEASE, Boundary.AFTER_COMMIT),
        boundary_name(Entry.RECORD, Boundary.BEFORE_TRANSACTION),
    ):
        yield Scenario(name=f"leases: a worker sleeps at {point}", play=partial(_play_sleeper, point, None))
    for hang in ("hang_then_delivered", "hang_then_not_delivered"):
        yield Scenario(
            name=f"leases: a worker sleeps during the call ({hang})",
            play=partial(_play_sleeper, Moment.BEFORE_CALL, hang),
        )
    yield Scenario(name="leases: a worker sleeps in the middle of a text in parts", play=_play_parts)


def last_scenarios() -> Iterator[Scenario]:
    """Those that let days pass, after which the purge takes what tells of the others."""
    yield Scenario(
        name="a reader blocks the bot during the drain, and returns a week later", play=_play_leaver
    )


def _write_many(lab: Lab, number: int) -> list[Letter]:
    recipient, link = lab.owner()
    letters = []
    for count in range(number):
        if count % LETTERS_OF_A_WRITER == 0:
            sender = lab.newcomer("Writer")
        sender.opens(link)
        letters.append(lab.writes(sender, recipient))
    recipient.awaits(is_notice, after=0, seconds=PATIENT_SECONDS)
    lab.await_quiet()
    return letters


def _play_full_inbox(lab: Lab, findings: Findings) -> None:
    letters = _write_many(lab, FULL_INBOX if lab.is_full else LETTERS_OF_A_WRITER)
    letters[0].recipient.says("/inbox")
    lab.await_true(lambda: not lab.book.missing(letters[0].recipient), what="a whole inbox", seconds=120)
    findings.rounds += 1


def _play_sleeper(point: str, hang: str | None, lab: Lab, findings: Findings) -> None:
    """A worker stands still with a lease, somebody else goes on with the lane, and the sleeper wakes."""
    for _ in range(lab.rounds):
        [letter] = _write_many(lab, 1)
        points = lab.points(Role.WORKER)
        with lab.frozen("sweeper"):
            if hang:
                lab.sandbox.inject_fault(
                    hang,
                    method="sendMessage",
                    chat_id=letter.recipient.id,
                    after=1,
                    hang_seconds=HANG_SECONDS,
                )
            points.arm(point, Action.STOP_WHEN_TOLD if hang else Action.STOP, passes=1)
            letter.recipient.says("/inbox")
            if hang:
                lab.await_hanging(hang)
                points.tell(point)
            pid = points.await_hit(point)
        with lab.woken_at_the_end(pid):
            lab.pass_time()
            lab.see_it_arrive(letter)
        points.disarm(point)
        findings.rounds += 1


def _play_parts(lab: Lab, findings: Findings) -> None:
    """The sleeper wakes between the parts that somebody else goes on with, and must not count one of them."""
    for _ in range(lab.rounds):
        recipient, link = lab.owner()
        letter = lab.pastes(lab.opens(link), recipient, parts=PARTS)
        recipient.awaits(is_notice, seconds=PATIENT_SECONDS)
        lab.await_quiet()
        points = lab.points(Role.WORKER)
        with lab.frozen("sweeper"):
            points.arm(Moment.AFTER_CALL, Action.STOP, passes=1)
            recipient.says("/inbox")
            pid = points.await_hit(Moment.AFTER_CALL)
        with lab.woken_at_the_end(pid):
            lab.pass_time()
            lab.await_true(partial(_is_repeated, letter), what="the first part once more")
        lab.see_it_arrive(letter)
        findings.rounds += 1


def _is_repeated(letter: Letter) -> bool:
    return sum(letter.other_parts[0] in one.text for one in letter.recipient.sees() if one.from_bot) > 1


def _play_leaver(lab: Lab, findings: Findings) -> None:
    with psycopg.connect(lab.database_url) as connection:
        findings.faults.extend(find_in_tables(connection, letters=lab.written))
    for _ in range(MOST_WEEKS if lab.is_full else 1):
        _play_one_leaver(lab, findings)
        findings.rounds += 1


def _play_one_leaver(lab: Lab, findings: Findings) -> None:
    letters = _write_many(lab, LETTERS_OF_A_WRITER)
    recipient = letters[0].recipient
    recipient.says("/inbox")
    recipient.awaits(letters[READ_BEFORE_LEAVING - 1].text, seconds=PATIENT_SECONDS)
    recipient.blocks_bot()
    lab.await_quiet()
    seen_while_away = lab.book.missing(recipient)
    findings.demand(seen_while_away, otherwise="nothing was left to be kept")
    lab.pass_time(A_WEEK)
    recipient.unblocks_bot()
    recipient.says("/start")
    recipient.awaits(is_notice, seconds=PATIENT_SECONDS)
    recipient.says("/inbox")
    lab.await_true(lambda: not lab.book.missing(recipient), what="what waited for a week")
