"""Which commands get servers of their own."""

import pytest

from nekonymous_site.embedded.own_servers_command import wants_own_servers


@pytest.mark.parametrize(
    ("command", "arguments", "expected"),
    [
        ("bench", ["web"], True),
        ("canaries", [], True),
        ("canaries", ["--json"], True),
        ("canaries", ["walk"], True),
        ("canaries", ["search"], False),
        ("canaries", ["search", "--json"], False),
        ("canaries", ["--help"], False),
        ("demo", [], False),
    ],
)
def test_the_first_argument_decides(command: str, arguments: list[str], *, expected: bool) -> None:
    assert wants_own_servers(command, arguments) is expected
