"""The table at the end of a run, and the same as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from nekonymous_site.fault_lab.letters import Tally
from nekonymous_site.fault_lab.scenario import Row

_HEADINGS = ("scenario", "rounds", "letters", "lost", "unanswered", "marked", "unmarked", "disordered", "s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All rows of a run with what was found in the tables and logs after it."""

    rows: tuple[Row, ...]
    leftovers: tuple[str, ...]
    seed: int

    @property
    def is_clean(self) -> bool:
        """Whether every promise was kept."""
        return not self.leftovers and all(row.is_clean for row in self.rows)

    def lines(self) -> Iterator[str]:
        """The table as text."""
        table = [_HEADINGS, *(_cells(row) for row in self.rows), _total(self.rows)]
        widths = [max(len(cells[place]) for cells in table) for place in range(len(_HEADINGS))]
        for cells in table:
            yield "  ".join(
                cell.ljust(width) if place == 0 else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
            )
        for row in self.rows:
            yield from (f"  {row.name}: {note}" for note in row.notes)
        for row in self.rows:
            yield from (f"FAULT {row.name}: {fault}" for fault in row.faults)
        yield from (f"FAULT at the end: {leftover}" for leftover in self.leftovers)

    def as_json(self) -> str:
        """One object with everything."""
        return json.dumps(
            {
                "clean": self.is_clean,
                "seed": self.seed,
                "rows": [asdict(row) for row in self.rows],
                "leftovers": self.leftovers,
            }
        )


def _cells(row: Row) -> tuple[str, ...]:
    return (row.name, str(row.rounds), *_numbers(row.tally), f"{row.seconds:.0f}")


def _total(rows: Sequence[Row]) -> tuple[str, ...]:
    total = Tally()
    for row in rows:
        total.add(row.tally)
    rounds = sum(row.rounds for row in rows)
    return ("all", str(rounds), *_numbers(total), f"{sum(row.seconds for row in rows):.0f}")


def _numbers(tally: Tally) -> tuple[str, ...]:
    counts = (tally.sent, tally.lost, tally.unanswered, tally.marked, tally.unmarked, tally.disordered)
    return tuple(str(number) for number in counts)
