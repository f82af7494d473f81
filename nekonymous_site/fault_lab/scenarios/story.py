"""The story that the design grew from: two gateways, an acknowledgement lost, a friend offline, a crash.

Web processes are the gateways, the inbox is the store, and a notice is the push. There are no groups, so the
message to two friends is written to each of their links.
"""

from collections.abc import Iterator

from nekonymous_site.failpoints import Boundary, Entry, boundary_name
from nekonymous_site.fault_lab.crew import Role
from nekonymous_site.fault_lab.lab import PATIENT_SECONDS, Lab
from nekonymous_site.fault_lab.letters import Letter, is_notice
from nekonymous_site.fault_lab.scenario import Findings, Scenario
from nekonymous_site.sandbox.people import Person


def scenarios() -> Iterator[Scenario]:
    """One, in six steps and a crash."""
    yield Scenario(name="the story: six steps and a crash", play=_play)


def _play(lab: Lab, findings: Findings) -> None:
    for _ in range(max(lab.rounds // 4, 1)):
        _play_once(lab, findings)
        findings.rounds += 1


def _play_once(lab: Lab, findings: Findings) -> None:
    # 1. everybody is connected
    (bob, bobs_link), (carol, carols_link) = lab.owner(), lab.owner()
    alice = lab.newcomer("Alice")
    # 2. from one to the other, across whichever web process takes it; he reads it
    first = _write(lab, alice, bob, link=bobs_link)
    _read(lab, bob, first)
    # 3. the acknowledgement was lost, so the same update comes again
    for _ in range(3):
        lab.sandbox.repeat_update(int(first.sent[0].update_id or 0))
    # 4. his phone is off: nobody asks for what is kept for him; two more
    waiting = [_write(lab, alice, bob, link=bobs_link) for _ in range(2)]
    lab.await_quiet()
    findings.demand(_unread(lab) == len(waiting), otherwise=f"{_unread(lab)} letters wait, and not two")
    # 5. he comes back and gets both, in order
    bob.says("/inbox")
    for letter in waiting:
        bob.awaits(letter.text, seconds=PATIENT_SECONDS)
    # 6. the same to two friends
    letters = [_write(lab, alice, bob, link=bobs_link), _write(lab, alice, carol, link=carols_link)]
    for letter in letters:
        _read(lab, letter.recipient, letter)
    lab.await_quiet()
    findings.demand(_unread(lab) == 0, otherwise="an inbox is not empty after everybody has read")
    # the crash: a web process dies while it has somebody's update
    points, point = lab.points(Role.WEB), boundary_name(Entry.INTAKE, Boundary.BEFORE_COMMIT)
    points.arm(point)
    last = _write(lab, alice, carol, link=carols_link)
    points.await_hit(point)
    _read(lab, carol, last)


def _write(lab: Lab, sender: Person, recipient: Person, *, link: str) -> Letter:
    sender.opens(link)
    return lab.writes(sender, recipient)


def _read(lab: Lab, recipient: Person, letter: Letter) -> None:
    recipient.awaits(is_notice, seconds=PATIENT_SECONDS)
    recipient.says("/inbox")
    recipient.awaits(letter.text, seconds=PATIENT_SECONDS)
    lab.await_quiet()


def _unread(lab: Lab) -> int:
    return lab.count("SELECT count(*) FROM accounts.unread")
