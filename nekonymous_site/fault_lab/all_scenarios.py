"""Everything that the lab plays, in order."""

from collections.abc import Iterator

from nekonymous_site.fault_lab.scenario import Scenario
from nekonymous_site.fault_lab.scenarios import kills


def all_scenarios() -> Iterator[Scenario]:
    """One after the other; each leaves the product running and at rest."""
    yield from kills.scenarios()
