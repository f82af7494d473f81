"""What a sweep says in the end: places and kinds of values, never a value."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from nekonymous_site.canaries.expected_findings import Expected
from nekonymous_site.canaries.ledger import Finding, GroupTotal


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """Totals by group, what was found, what was expected there, and what was expected in vain."""

    totals: dict[str, GroupTotal]
    values: int
    found: Sequence[Finding]
    expected: Sequence[Finding] = ()
    unneeded: Sequence[Expected] = ()
    seconds: float = 0.0

    @property
    def is_clean(self) -> bool:
        """Whether nothing is where it must not be, and nothing is expected in vain."""
        return not self.found and not self.unneeded

    def lines(self) -> Iterator[str]:
        """The table for a terminal, and a line for each finding below it."""
        yield f"{'place':<24} {'searched':>9} {'bytes':>12} {'found':>6} {'expected':>9}"
        for group, total in self.totals.items():
            found = sum(1 for one in self.found if one.group == group)
            expected = sum(1 for one in self.expected if one.group == group)
            yield f"{group:<24} {len(total.places):>9} {total.bytes:>12,} {found:>6} {expected:>9}"
        for one in self.found:
            yield f"FOUND: {one.kind} in {one.group}: {one.place} ({one.moment})"
        for entry in self.unneeded:
            yield f"EXPECTED IN VAIN: {entry.kind} in {entry.group}: {entry.place}; take it off the list"

    def as_json(self) -> str:
        """The same as one JSON object."""
        places = {
            group: {"searched": len(total.places), "bytes": total.bytes}
            for group, total in self.totals.items()
        }
        return json.dumps(
            {
                "clean": self.is_clean,
                "values": self.values,
                "seconds": round(self.seconds, 1),
                "places": places,
                "found": [asdict(one) for one in self.found],
                "expected": [asdict(one) for one in self.expected],
                "expected_in_vain": [asdict(one) for one in self.unneeded],
            }
        )
