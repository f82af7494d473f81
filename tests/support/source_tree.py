"""The files of this checkout, as the architecture tests read them."""

import ast
from functools import cache
from pathlib import Path

from nekonymous_site.environment import CHECKOUT
from nekonymous_site.settings import PLANES

PACKAGES = (*PLANES, "nekonymous_site")


@cache
def product_sources() -> tuple[Path, ...]:
    """Every Python file of the product, the entry point included."""
    packaged = (path for package in PACKAGES for path in (CHECKOUT / package).rglob("*.py"))
    return (CHECKOUT / "manage.py", *sorted(packaged))


@cache
def sources_of_tests() -> tuple[Path, ...]:
    """Every Python file of the tests."""
    return tuple(sorted((CHECKOUT / "tests").rglob("*.py")))


@cache
def written_files() -> tuple[Path, ...]:
    """Everything that somebody has written: code, pages, catalogues, scripts and settings of tools."""
    pages = (path for suffix in ("md", "po", "txt") for path in _below_packages_and_docs(suffix))
    single = (CHECKOUT / name for name in ("neko", "pyproject.toml", ".ci/run"))
    return (*product_sources(), *sources_of_tests(), *sorted(pages), *sorted(CHECKOUT.glob("*.md")), *single)


def _below_packages_and_docs(suffix: str) -> list[Path]:
    return [path for folder in (*PACKAGES, "docs") for path in (CHECKOUT / folder).rglob(f"*.{suffix}")]


@cache
def parse(path: Path) -> ast.Module:
    """The syntax tree of a file, read once."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def short(path: Path) -> str:
    """How a file is named in a failure."""
    return path.relative_to(CHECKOUT).as_posix()
