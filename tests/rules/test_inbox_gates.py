"""The gates of an inbox: each alone, every two and all of them together, always in one order."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import combinations, pairwise, product
from typing import Final, TypedDict, Unpack

import pytest

from accounts.preferences import ReceiveKind
from accounts.selectors import RecipientGate
from nekonymous_site.crypto.identifiers import ActorHash
from nekonymous_site.workflows.inbox_gates import RefusalReason, Refused, judge
from nekonymous_site.workflows.ticket_content import ContentItem, ContentKind
from safety.standing import CLEAR, Standing, SubjectStanding

UNTIL: Final = datetime(2025, 11, 30, 12, tzinfo=UTC)
OPEN: Final = RecipientGate(
    actor_hash=ActorHash(b"\x07" * 32),
    reachable=True,
    paused=False,
    blocked=False,
    refused_kinds=ReceiveKind(0),
    has_room=True,
    link_active=True,
)
NEUTRAL: Final = Refused(why=RefusalReason.NOT_TAKING)


class GateChanges(TypedDict, total=False):
    """What a gate may say instead."""

    reachable: bool
    paused: bool
    blocked: bool
    refused_kinds: ReceiveKind
    has_room: bool
    link_active: bool


@dataclass(frozen=True, kw_only=True)
class Situation:
    """Everything that is known when a message is judged."""

    gate: RecipientGate | None = OPEN
    standing: SubjectStanding = CLEAR
    kinds: tuple[ContentKind, ...] = (ContentKind.TEXT,)
    may_send_first: bool = True

    def judge(self) -> RecipientGate | Refused:
        return judge(
            self.gate,
            standing=self.standing,
            items=[ContentItem(kind=kind) for kind in self.kinds],
            may_send_first=self.may_send_first,
        )

    def with_gate(self, **changes: Unpack[GateChanges]) -> "Situation":
        return replace(self, gate=replace(self.gate, **changes)) if self.gate else self


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A gate that can be closed, and what is then said."""

    name: str
    close: Callable[[Situation], Situation]
    says: Refused


SUSPENDED: Final = SubjectStanding(standing=Standing.SUSPENDED, until=UNTIL)
BANNED: Final = SubjectStanding(standing=Standing.BANNED)
GATES: Final = [
    Gate(
        name="the link is dead",
        close=lambda situation: situation.with_gate(link_active=False),
        says=Refused(why=RefusalReason.DEAD_LINK),
    ),
    Gate(
        name="suspended",
        close=lambda situation: replace(situation, standing=SUSPENDED),
        says=Refused(why=RefusalReason.SUSPENDED, until=UNTIL),
    ),
    Gate(
        name="too many first messages",
        close=lambda situation: replace(situation, may_send_first=False),
        says=Refused(why=RefusalReason.TOO_MANY_FIRST),
    ),
    Gate(
        name="a kind is refused",
        close=lambda situation: situation.with_gate(refused_kinds=ReceiveKind.TEXT),
        says=Refused(why=RefusalReason.KIND_REFUSED, kind=ReceiveKind.TEXT),
    ),
    Gate(name="paused", close=lambda situation: situation.with_gate(paused=True), says=NEUTRAL),
    Gate(name="unreachable", close=lambda situation: situation.with_gate(reachable=False), says=NEUTRAL),
    Gate(name="blocked", close=lambda situation: situation.with_gate(blocked=True), says=NEUTRAL),
    Gate(name="full", close=lambda situation: situation.with_gate(has_room=False), says=NEUTRAL),
]


def _close(gates: Iterable[Gate]) -> Situation:
    situation = Situation()
    for gate in gates:
        situation = gate.close(situation)
    return situation


def _name(gates: Gate | Sequence[Gate]) -> str:
    if isinstance(gates, Gate):
        return gates.name
    return " and ".join(gate.name for gate in gates) or "nothing else"


def test_where_no_gate_is_closed_a_message_enters() -> None:
    assert Situation().judge() is OPEN


@pytest.mark.parametrize("gate", GATES, ids=_name)
def test_each_gate_alone_keeps_a_message_out(gate: Gate) -> None:
    assert gate.close(Situation()).judge() == gate.says


@pytest.mark.parametrize("neighbours", list(pairwise(GATES)), ids=_name)
def test_of_two_neighbours_the_first_decides(neighbours: tuple[Gate, Gate]) -> None:
    assert _close(neighbours).judge() == _close(reversed(neighbours)).judge() == neighbours[0].says


def test_of_any_closed_gates_the_first_in_their_order_decides() -> None:
    for size in range(1, len(GATES) + 1):
        for closed in combinations(GATES, size):
            assert _close(closed).judge() == closed[0].says, _name(closed)


def test_a_ban_decides_where_a_suspension_would_and_names_no_end() -> None:
    banned = replace(_close(GATES[2:]), standing=BANNED)
    assert banned.judge() == Refused(why=RefusalReason.BANNED)
    assert banned.with_gate(link_active=False).judge() == Refused(why=RefusalReason.DEAD_LINK)


@pytest.mark.parametrize("closed", [(), *combinations(GATES[1:3], 1), GATES[1:3]], ids=_name)
def test_a_recipient_who_is_gone_stands_where_a_paused_one_does(closed: Sequence[Gate]) -> None:
    gone = replace(_close(closed), gate=None)
    paused = _close(closed).with_gate(paused=True)
    assert gone.judge() == paused.judge() == (closed[0].says if closed else NEUTRAL)


def test_of_a_recipient_who_is_gone_nobody_learns_what_they_took() -> None:
    assert replace(_close(GATES[3:]), gate=None).judge() == NEUTRAL


@pytest.mark.parametrize("closed", list(combinations(GATES[4:], 2)), ids=_name)
def test_a_kind_that_is_not_taken_is_told_whatever_else_is_closed(closed: tuple[Gate, Gate]) -> None:
    """Told to some and not to others, it would show them who is blocked."""
    assert _close([GATES[3], *closed]).judge() == GATES[3].says


def test_neutral_refusals_cannot_be_told_apart() -> None:
    neutral = [gate for gate in GATES if gate.says == NEUTRAL]
    refusals = [gate.close(Situation()).judge() for gate in neutral] + [Situation(gate=None).judge()]
    assert len(refusals) == 5
    assert set(refusals) == {NEUTRAL}
    assert {repr(refusal) for refusal in refusals} == {repr(NEUTRAL)}
    assert (NEUTRAL.until, NEUTRAL.kind) == (None, None)


# What the settings call a kind, and what Telegram calls what belongs to it.
BELONGING: Final = {
    ReceiveKind.TEXT: {ContentKind.TEXT},
    ReceiveKind.PHOTO: {ContentKind.PHOTO},
    ReceiveKind.VIDEO: {ContentKind.VIDEO, ContentKind.ANIMATION},
    ReceiveKind.VOICE: {ContentKind.VOICE, ContentKind.VIDEO_NOTE},
    ReceiveKind.DOCUMENT: {ContentKind.DOCUMENT, ContentKind.AUDIO},
    ReceiveKind.STICKER: {ContentKind.STICKER},
}


def test_every_kind_of_content_can_be_refused_in_exactly_one_way() -> None:
    assert set(BELONGING) == set(ReceiveKind)
    assert sorted(kind for kinds in BELONGING.values() for kind in kinds) == sorted(ContentKind)


@pytest.mark.parametrize(("refused", "kind"), list(product(ReceiveKind, ContentKind)))
def test_a_refused_kind_keeps_out_what_belongs_to_it_and_nothing_else(
    refused: ReceiveKind, kind: ContentKind
) -> None:
    judged = Situation(kinds=(kind,)).with_gate(refused_kinds=refused).judge()
    if kind in BELONGING[refused]:
        assert judged == Refused(why=RefusalReason.KIND_REFUSED, kind=refused)
    else:
        assert isinstance(judged, RecipientGate)


@pytest.mark.parametrize("wanted", ReceiveKind)
def test_whoever_takes_one_kind_alone_gets_that_one(wanted: ReceiveKind) -> None:
    every_other = ~wanted & ReceiveKind(sum(ReceiveKind))
    for kind in ContentKind:
        judged = Situation(kinds=(kind,)).with_gate(refused_kinds=every_other).judge()
        assert isinstance(judged, RecipientGate) is (kind in BELONGING[wanted])


ALBUM: Final = (ContentKind.PHOTO, ContentKind.VIDEO, ContentKind.TEXT)


@pytest.mark.parametrize(
    ("refused", "named"),
    [
        (ReceiveKind.TEXT, ReceiveKind.TEXT),
        (ReceiveKind.VIDEO | ReceiveKind.TEXT, ReceiveKind.VIDEO),
        (ReceiveKind.STICKER | ReceiveKind.VOICE | ReceiveKind.DOCUMENT, None),
    ],
)
def test_one_refused_item_keeps_the_whole_out_and_the_first_is_named(
    refused: ReceiveKind, named: ReceiveKind | None
) -> None:
    judged = Situation(kinds=ALBUM).with_gate(refused_kinds=refused).judge()
    if named is None:
        assert isinstance(judged, RecipientGate)
    else:
        assert judged == Refused(why=RefusalReason.KIND_REFUSED, kind=named)


def test_a_draft_outlives_only_what_its_writer_can_change() -> None:
    kept = {reason for reason in RefusalReason if Refused(why=reason).keeps_draft}
    assert kept == {RefusalReason.KIND_REFUSED, RefusalReason.TOO_MANY_FIRST}
