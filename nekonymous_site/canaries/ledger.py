"""What has been searched, and what was found in it: places and kinds, never a value."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from nekonymous_site.canaries.marks import Mark, find_kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A piece of what lies in one place; places of the same sort make a group."""

    group: str
    place: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Finding:
    """A kind of value in a place; `moment` is the first at which it was seen."""

    group: str
    place: str
    kind: str
    moment: str = field(compare=False)


@dataclass(slots=True, kw_only=True)
class GroupTotal:
    """How much of a group has been searched, over all moments."""

    places: set[str] = field(default_factory=set)
    bytes: int = 0


class Ledger:
    """Searches samples for all values marked so far and keeps account of it."""

    def __init__(self, marks: Iterable[Mark] = ()) -> None:
        """Begin with these values."""
        self.marks = list(marks)
        self.totals: dict[str, GroupTotal] = {}
        self._findings: dict[tuple[str, str, str], Finding] = {}

    def search(self, samples: Iterable[Sample], *, moment: str) -> None:
        """Search the samples as they come; the bytes counted are those that were read."""
        for sample in samples:
            total = self.totals.setdefault(sample.group, GroupTotal())
            total.places.add(sample.place)
            total.bytes += len(sample.content)
            for kind in find_kinds(sample.content, marks=self.marks):
                finding = Finding(group=sample.group, place=sample.place, kind=kind, moment=moment)
                self._findings.setdefault((sample.group, sample.place, kind), finding)

    def findings(self) -> list[Finding]:
        """Everything found, in order of group, place and kind."""
        return sorted(self._findings.values())
