"""Habits of the house that no tool knows: who reads the environment, what files are called, what is said."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_tree import parse, product_sources, short, sources_of_tests, written_files

from nekonymous_site.environment import CHECKOUT
from nekonymous_site.settings import PLANES

VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "managers"}
LONGEST_FILE_LINES = 300
LONGEST_FUNCTION_LINES = 45

# Who may read the environment besides settings.py, and why.
ENVIRONMENT_READERS = {
    "nekonymous_site/settings.py": "hands it to environment.py",
    "nekonymous_site/benchmarks/web_servers.py": "hands it on to the servers it measures",
    "nekonymous_site/embedded/launcher.py": "hands it on to the processes it starts",
    "nekonymous_site/embedded/venv_setup.py": "hands it on to pip",
    "nekonymous_site/management/commands/faults.py": "hands it on to the processes it starts and breaks",
    "nekonymous_site/sandbox/command_line.py": "refuses to run in production",
    "manage.py": "tells a missing database from a broken one when settings may not have been read",
}


def is_name_of(node: ast.expr, module: str, name: str) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.value, ast.Name)
        and node.value.id == module
    )


def is_settings_module_default(node: ast.AST) -> bool:
    """`os.environ.setdefault("DJANGO_SETTINGS_MODULE", …)`, which every entry point of Django says."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "setdefault"
        and is_name_of(node.func.value, "os", "environ")
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value == "DJANGO_SETTINGS_MODULE"
    )


def reads_environment(tree: ast.Module) -> bool:
    """Whether code says os.environ, os.getenv, os.environb, or imports one of them by name."""
    names = {"environ", "environb", "getenv", "getenvb"}
    excused = {
        id(child) for node in ast.walk(tree) if is_settings_module_default(node) for child in ast.walk(node)
    }
    return any(
        (isinstance(node, ast.ImportFrom) and node.module == "os" and {a.name for a in node.names} & names)
        or (isinstance(node, ast.Attribute) and id(node) not in excused and _is_of_os(node, names))
        for node in ast.walk(tree)
    )


def _is_of_os(node: ast.Attribute, names: set[str]) -> bool:
    return any(is_name_of(node, "os", name) for name in names)


def test_only_settings_and_launcher_read_the_environment() -> None:
    readers = {short(path) for path in product_sources() if reads_environment(parse(path))}

    assert readers == ENVIRONMENT_READERS.keys()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import os\nos.environ['NEKO_PORT']", True),
        ("import os\nvalue = os.getenv('NEKO_PORT')", True),
        ("from os import environ", True),
        ("import os\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'x')", False),
        ("import os\nos.environ.setdefault('NEKO_PORT', 'x')", True),
        ("import os\nos.getpid()", False),
    ],
)
def test_reading_the_environment_is_seen(code: str, expected: bool) -> None:  # noqa: FBT001 - a table's column
    assert reads_environment(ast.parse(code)) is expected


def imported_roots(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_what_runs_before_anything_is_installed_needs_nothing_installed() -> None:
    early = [
        path
        for path in product_sources()
        if path.is_relative_to(CHECKOUT / "nekonymous_site" / "embedded") or path.name == "environment.py"
    ]
    foreign = {
        f"{short(path)}: {root}"
        for path in early
        for root in imported_roots(parse(path))
        if root not in sys.stdlib_module_names and root != "nekonymous_site"
    }

    assert len(early) > 1
    assert not foreign


def test_no_module_has_a_name_that_says_nothing() -> None:
    sources = product_sources() + sources_of_tests()

    assert {short(path) for path in sources if VAGUE_NAMES & _name_parts(path)} == set()


def _name_parts(path: Path) -> set[str]:
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return {word for part in parts for word in part.split("_")}


def test_no_file_is_longer_than_a_hard_look() -> None:
    lengths = {
        short(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in product_sources() + sources_of_tests()
    }

    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE_LINES} == {}


def functions_of(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_no_function_of_the_product_is_longer_than_a_hard_look() -> None:
    long = {
        f"{short(path)}: {function.name}": _lines(function)
        for path in product_sources()
        for function in functions_of(path)
        if _lines(function) > LONGEST_FUNCTION_LINES
    }

    assert long == {}


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def speaking_modules() -> list[Path]:
    """What other layers call: the modules of planes and workflows."""
    unspoken = {"models", "apps", "__init__"}
    folders = (*(CHECKOUT / plane for plane in PLANES), CHECKOUT / "nekonymous_site" / "workflows")
    return [path for folder in folders for path in sorted(folder.glob("*.py")) if path.stem not in unspoken]


def test_every_public_function_of_planes_and_workflows_says_what_it_does() -> None:
    silent = {
        f"{short(path)}: {node.name}"
        for path in speaking_modules()
        for node in parse(path).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not ast.get_docstring(node)
    }

    assert len(speaking_modules()) > len(PLANES)
    assert not silent


def test_every_module_of_the_product_says_what_it_is() -> None:
    silent = {
        short(path)
        for path in product_sources()
        if parse(path).body and not ast.get_docstring(parse(path)) and not _is_from_django(path)
    }

    assert not silent


def _is_from_django(path: Path) -> bool:
    """Files whose place and shape Django dictates, so that their name says it all."""
    return path.stem == "apps" or path.parent.name == "migrations"


def test_nothing_is_left_for_later() -> None:
    later = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")
    left = {
        f"{short(path)}:{number}"
        for path in written_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if later.search(line)
    }

    assert not left
