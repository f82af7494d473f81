"""How many random histories, and how long they may take."""

from pathlib import Path

import pytest

SECONDS_FOR_ONE = 4
LONGEST_USUAL_SECONDS = 420


@pytest.fixture
def asked_histories(request: pytest.FixtureRequest) -> int | None:
    """How many histories were asked for, if it is more than the suite's."""
    asked: int | None = request.config.getoption("--model-histories")
    return asked


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seconds = LONGEST_USUAL_SECONDS + SECONDS_FOR_ONE * (config.getoption("--model-histories") or 0)
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(seconds))
