"""Everything that the lab plays, in order."""

from collections.abc import Iterator

from nekonymous_site.fault_lab.scenario import Scenario
from nekonymous_site.fault_lab.scenarios import (
    bot_api,
    clocks,
    full_disk,
    kills,
    leases,
    postgres,
    story,
    updates,
    valkey,
)


def all_scenarios() -> Iterator[Scenario]:
    """One after the other; each leaves the product running and at rest."""
    for module in (story, kills, leases, updates, clocks, valkey, postgres, bot_api, full_disk):
        yield from module.scenarios()
    yield from leases.last_scenarios()
