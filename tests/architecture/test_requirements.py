"""The locked requirements: every line with its hashes, no word about where packages come from."""

import re
import tomllib

import pytest

from nekonymous_site.environment import CHECKOUT

FILES = ("requirements.txt", "requirements-dev.txt")
PIN = re.compile(r"([a-z0-9][a-z0-9-]*)(?:\[[a-z,-]+\])?==([^\s;]+)(?: ; [^\\]+)?")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def read_pins(file: str) -> dict[str, tuple[str, list[str]]]:
    """Version and hashes of each pinned package; a line of any other form is an error."""
    text = (CHECKOUT / file).read_text(encoding="utf-8")
    joined = re.sub(r"\\\n\s*", "", text)
    pins = {}
    for line in (line.strip() for line in joined.splitlines()):
        if line and not line.startswith("#"):
            pin, *hashes = re.split(r"\s+(?=--hash)", line)
            match = PIN.fullmatch(pin)
            assert match, line
            pins[match[1]] = (match[2], hashes)
    return pins


def normalized(requirement: str) -> str:
    name = re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("file", FILES)
def test_every_requirement_is_pinned_with_hashes(file: str) -> None:
    pins = read_pins(file)

    assert pins
    assert {name for name, (_, hashes) in pins.items() if not hashes} == set()
    assert {text for _, hashes in pins.values() for text in hashes if not HASH.fullmatch(text)} == set()


@pytest.mark.parametrize("file", FILES)
def test_no_requirement_says_where_packages_come_from(file: str) -> None:
    text = (CHECKOUT / file).read_text(encoding="utf-8")

    assert "://" not in text
    assert not re.search(r"--(?:index|extra-index|find-links|trusted-host)", text)


def test_what_the_project_declares_is_locked() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    runtime = {normalized(requirement) for requirement in project["project"]["dependencies"]}
    development = {normalized(requirement) for requirement in project["dependency-groups"]["dev"]}

    assert runtime <= read_pins("requirements.txt").keys()
    assert runtime | development <= read_pins("requirements-dev.txt").keys()


def test_tests_run_on_the_versions_that_are_delivered() -> None:
    delivered, tested = read_pins("requirements.txt"), read_pins("requirements-dev.txt")

    assert {name: pin for name, pin in delivered.items() if tested.get(name) != pin} == {}
