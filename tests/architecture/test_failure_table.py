"""Every row of docs/operations.md about what fails names what shows it, and that is there."""

import pytest
from markdown_tables import code_words, tables_by_heading

from nekonymous_site.environment import CHECKOUT
from nekonymous_site.fault_lab.all_scenarios import all_scenarios

ROWS = tables_by_heading(CHECKOUT / "docs" / "operations.md")["When something fails"]
SCENARIOS = tuple(scenario.name for scenario in all_scenarios())
LAB = "faults: "


def _exists(shown_by: str) -> bool:
    if shown_by.startswith(LAB):
        return any(name.startswith(shown_by.removeprefix(LAB)) for name in SCENARIOS)
    return (CHECKOUT / shown_by).is_file()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["what fails"])
def test_a_row_names_what_shows_it(row: dict[str, str]) -> None:
    shown_by = code_words(row["shown by"])
    assert shown_by
    assert [name for name in shown_by if not _exists(name)] == []
    assert all(row[column] for column in ("effect", "people see", "the operator"))


def test_every_kind_of_scenario_is_in_a_row() -> None:
    named = [
        word.removeprefix(LAB) for row in ROWS for word in code_words(row["shown by"]) if word.startswith(LAB)
    ]
    missing = [name for name in SCENARIOS if not any(name.startswith(part) for part in named)]
    # Ways to fail that one row stands for, and a lane with several workers, which is no failure.
    assert {name.partition(":")[0] for name in missing} <= {"Bot API", "leases"}, missing
