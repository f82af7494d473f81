"""How many random histories, and how long they may take."""

from pathlib import Path

import pytest

FIGURE_OF_THE_SUITE = 60
SECONDS_FOR_ONE = 4


@pytest.fixture
def histories(request: pytest.FixtureRequest) -> int:
    """How many histories are asked for; those of the ordinary suite are always the same ones."""
    asked: int | None = request.config.getoption("--model-histories")
    return asked or FIGURE_OF_THE_SUITE


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    asked: int | None = config.getoption("--model-histories")
    seconds = 180 + SECONDS_FOR_ONE * (asked or FIGURE_OF_THE_SUITE)
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(seconds))
