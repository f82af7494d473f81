"""kill -9 at every boundary: each is hit exactly, by the process of the role that reaches it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Final

from nekonymous_site.failpoints import Action, Boundary, Entry, Moment, boundary_name
from nekonymous_site.fault_lab.crew import Role
from nekonymous_site.fault_lab.lab import PATIENT_SECONDS, Lab
from nekonymous_site.fault_lab.letters import Letter, is_notice
from nekonymous_site.fault_lab.scenario import Findings, Scenario
from nekonymous_site.sandbox.people import Person

FURTHER_LETTERS: Final = 2
HANG_SECONDS: Final = 10.0


# Who stands still until the point is reached, since they would do the same work.
_OTHERS: Final = {Role.WORKER: ("sweeper",), Role.SWEEPER: ("worker", "worker-2")}


class Phase(Enum):
    """What somebody is doing when the point is armed."""

    WRITES = auto()  # the update, its acknowledgement
    PASTES = auto()  # a long text, which gathers and goes out in parts
    IS_TOLD = auto()  # the notice
    ASKS = auto()  # /inbox: the drain, the live count
    READS = auto()  # the delivery behind the live count
    READS_PARTS = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """A point, the role that is to reach it, and the phases that take turns over the rounds."""

    role: Role
    point: str
    phases: tuple[Phase, ...]
    hang: str | None = None  # the fault under which it dies during the call

    @property
    def name(self) -> str:
        """As the table has it."""
        return f"kill {self.role} {self.point}" + (f" ({self.hang})" if self.hang else "")


_SEND_POINTS: Final = frozenset(
    {
        *(boundary_name(entry, boundary) for entry in (Entry.LEASE, Entry.RECORD) for boundary in Boundary),
        Moment.BEFORE_CALL,
        Moment.AFTER_CALL,
    }
)
_SENDS: Final = (Phase.READS, Phase.WRITES, Phase.IS_TOLD, Phase.ASKS)


def _boundaries(role: Role, entry: Entry, phases: tuple[Phase, ...]) -> Iterator[Kill]:
    for boundary in Boundary:
        yield Kill(role=role, point=boundary_name(entry, boundary), phases=phases)


def _sends(role: Role) -> Iterator[Kill]:
    yield from _boundaries(role, Entry.LEASE, _SENDS)
    yield Kill(role=role, point=Moment.BEFORE_CALL, phases=_SENDS)
    for hang in ("hang_then_delivered", "hang_then_not_delivered"):
        yield Kill(role=role, point=Moment.BEFORE_CALL, phases=(Phase.WRITES, Phase.READS), hang=hang)
    yield Kill(role=role, point=Moment.AFTER_CALL, phases=_SENDS)
    yield Kill(role=role, point=Moment.BETWEEN_PARTS, phases=(Phase.READS_PARTS,))
    yield from _boundaries(role, Entry.RECORD, _SENDS)


def all_kills() -> Iterator[Kill]:
    """Every boundary of every role."""
    yield from _boundaries(Role.WEB, Entry.INTAKE, (Phase.WRITES, Phase.ASKS))
    for role in (Role.WORKER, Role.SWEEPER):
        yield from _boundaries(role, Entry.GATHERING, (Phase.PASTES,))
        yield from _boundaries(role, Entry.NOTICES, (Phase.IS_TOLD,))
        yield from _boundaries(role, Entry.DRAIN, (Phase.ASKS,))
        yield from _sends(role)
    for moment in (Moment.BEFORE_RING, Moment.AFTER_RING):
        yield Kill(role=Role.BEAT, point=moment, phases=(Phase.IS_TOLD,))


def scenarios() -> Iterator[Scenario]:
    """One for each boundary."""
    for kill in all_kills():
        yield Scenario(name=kill.name, play=partial(_play, kill))


def _play(kill: Kill, lab: Lab, findings: Findings) -> None:
    for number in range(lab.rounds):
        _play_round(kill, lab, phase=kill.phases[number % len(kill.phases)])
        findings.rounds += 1


def _play_round(kill: Kill, lab: Lab, *, phase: Phase) -> None:
    recipient, link = lab.owner()
    sender = lab.opens(link)
    acts = _ACTS[phase]
    passes = acts.passes if kill.point in _SEND_POINTS else 0
    letter = acts.before(lab, sender, recipient)
    if phase is Phase.READS:
        # Several, so that an order among them can be broken.
        for _ in range(FURTHER_LETTERS):
            sender.opens(link)
            lab.writes(sender, recipient)
    lab.await_quiet()
    standing_still = _OTHERS.get(kill.role, ())
    with lab.frozen(*standing_still):
        if kill.hang:
            chat = sender.id if phase is Phase.WRITES else recipient.id
            lab.sandbox.inject_fault(
                kill.hang,
                method="sendMessage",
                chat_id=chat,
                after=passes if chat == recipient.id else 0,
                hang_seconds=HANG_SECONDS,
            )
        points = lab.points(kill.role)
        points.arm(kill.point, Action.KILL_WHEN_TOLD if kill.hang else Action.KILL, passes=passes)
        letter = acts.act(lab, sender, recipient) or letter
        if kill.hang:
            lab.await_hanging(kill.hang)
            points.tell(kill.point)
        pid = points.await_hit(kill.point)
    _await_death(lab, pid)
    points.disarm(kill.point)
    if letter is not None:
        lab.see_it_arrive(letter)


def _await_death(lab: Lab, pid: int) -> None:
    process = lab.crew.find(pid)
    if process is not None:
        process.await_end()
        process.start()


# The acts of each phase: what happens before the point is armed, what is done then, and how many sends to the
# same chat go by before the one that is meant.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Acts:
    before: Callable[[Lab, Person, Person], Letter | None]
    act: Callable[[Lab, Person, Person], Letter | None]
    passes: int = 0


def _nothing_yet(_lab: Lab, _sender: Person, _recipient: Person) -> None:
    return None


def _write(lab: Lab, sender: Person, recipient: Person) -> Letter:
    return lab.writes(sender, recipient)


def _write_and_notice(lab: Lab, sender: Person, recipient: Person) -> Letter:
    letter = lab.writes(sender, recipient)
    _await_notice(recipient)
    return letter


def _paste(lab: Lab, sender: Person, recipient: Person) -> Letter:
    return lab.pastes(sender, recipient)


def _paste_and_notice(lab: Lab, sender: Person, recipient: Person) -> Letter:
    letter = _paste(lab, sender, recipient)
    _await_notice(recipient)
    return letter


def _await_notice(recipient: Person) -> None:
    recipient.awaits(is_notice, after=0, seconds=PATIENT_SECONDS)


def _ask(_lab: Lab, _sender: Person, recipient: Person) -> None:
    recipient.says("/inbox")


_ACTS: Final = {
    Phase.WRITES: _Acts(before=_nothing_yet, act=_write),
    Phase.PASTES: _Acts(before=_nothing_yet, act=_paste),
    Phase.IS_TOLD: _Acts(before=_nothing_yet, act=_write, passes=1),
    Phase.ASKS: _Acts(before=_write_and_notice, act=_ask),
    Phase.READS: _Acts(before=_write_and_notice, act=_ask, passes=1),
    Phase.READS_PARTS: _Acts(before=_paste_and_notice, act=_ask),
}
