"""Marked values walk through the whole product, faults included, and are found nowhere but with Telegram."""

import pytest
from product import Product

from nekonymous_site.canaries.installation import Installation
from nekonymous_site.canaries.sweep import sweep

pytestmark = pytest.mark.processes


def _installation(product: Product) -> Installation:
    """The product of the tests: Postgres and Valkey are others' too, so the walk leaves them running."""

    def bring_back(name: str) -> None:
        product.processes[name].wait(timeout=10)
        product.start(product.plans[name])

    return Installation(
        settings=product.environment.settings,
        environ=product.environment.environ,
        has_own_servers=False,
        bring_back=bring_back,
    )


def test_marked_values_are_nowhere_in_the_clear(product: Product) -> None:
    report = sweep(_installation(product), tell=print)

    print(*report.lines(), sep="\n")
    assert report.found == []
    assert report.unneeded == []
    assert report.values > 40
    assert all(total.bytes > 0 for total in report.totals.values())
    assert product.count("tickets.ticket", "status = 'viewed'") >= 3
    assert product.count("tickets.ticket", "status = 'withdrawn'") >= 1
    assert product.count("tickets.ticket", "status <> 'sealed' AND payload IS NOT NULL") == 0
    assert product.count("accounts.composition") == 0
    unscrubbed = "state = 'sent' AND (body IS NOT NULL OR lane_tag IS NOT NULL)"
    assert product.count("outbox.intent", unscrubbed) == 0
