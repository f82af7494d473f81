"""The import contracts hold, and each of them bites: a violation planted in a copy of the tree is seen."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from source_tree import PACKAGES

from nekonymous_site.environment import CHECKOUT

LINTER_SECONDS = 60
CONTRACTS = {
    contract["id"]: contract
    for contract in tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
}

# Of which contract, in which file, by which import.
VIOLATIONS = (
    ("layers", "nekonymous_site/bot/visit.py", "import nekonymous_site.api"),
    ("layers", "nekonymous_site/bot/visit.py", "import nekonymous_site.attack_lab.judge"),
    ("layers", "nekonymous_site/workflows/cancel_draft.py", "import nekonymous_site.bot.catalogues"),
    ("layers", "accounts/services.py", "import nekonymous_site.workflows.cancel_draft"),
    ("layers", "nekonymous_site/pipeline.py", "import outbox.lanes"),
    ("layers", "nekonymous_site/crypto/keyring.py", "import nekonymous_site.pipeline"),
    ("layers", "nekonymous_site/embedded/launcher.py", "import nekonymous_site.settings"),
    ("layers", "nekonymous_site/environment.py", "import nekonymous_site.embedded.console"),
    ("blind-planes", "tickets/services.py", "import accounts.records"),
    ("tables", "nekonymous_site/workflows/show_link.py", "from accounts.models import Account"),
    ("tables", "nekonymous_site/bot/rendering.py", "import outbox.models"),
    ("self-contained", "nekonymous_site/crypto/keyring.py", "import django.db"),
    ("self-contained", "nekonymous_site/sandbox/world.py", "import nekonymous_site.environment"),
    ("before-django", "nekonymous_site/embedded/launcher.py", "import django"),
    ("apart", "nekonymous_site/bot/rendering.py", "import nekonymous_site.sandbox.people"),
    ("apart", "nekonymous_site/api.py", "import nekonymous_site.embedded.ports"),
    ("ciphers", "outbox/services.py", "import nacl.secret"),
    ("ciphers", "nekonymous_site/bot/visit.py", "from cryptography.fernet import Fernet"),
    ("bot-library", "nekonymous_site/workflows/drain_inbox.py", "import telebot"),
    ("bot-library", "outbox/services.py", "from telebot import apihelper"),
)


@pytest.fixture(scope="module")
def copied_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product's packages with the contracts."""
    tree = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        shutil.copytree(CHECKOUT / package, tree / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", tree)
    return tree


def check_contracts(tree: Path, *, only: str | None = None) -> subprocess.CompletedProcess[str]:
    linter = Path(sys.executable).with_name("lint-imports")
    chosen = ("--contract", only) if only else ()
    return subprocess.run(
        [sys.executable, str(linter), "--no-cache", "--no-logo", *chosen],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        timeout=LINTER_SECONDS,
        check=False,
    )


def test_the_tree_keeps_every_contract(copied_tree: Path) -> None:
    linter = check_contracts(copied_tree)

    assert linter.returncode == 0, linter.stdout + linter.stderr
    assert f"{len(CONTRACTS)} kept, 0 broken" in linter.stdout


@pytest.mark.parametrize(("contract", "file", "violation"), VIOLATIONS)
def test_a_planted_violation_breaks_its_contract(
    copied_tree: Path, contract: str, file: str, violation: str
) -> None:
    source = copied_tree / file
    clean = source.read_text(encoding="utf-8")
    source.write_text(f"{clean}\n{violation}\n", encoding="utf-8")
    try:
        linter = check_contracts(copied_tree, only=contract)
    finally:
        source.write_text(clean, encoding="utf-8")

    assert linter.returncode == 1, linter.stdout + linter.stderr
    assert f"{CONTRACTS[contract]['name']} BROKEN" in linter.stdout


def test_every_contract_is_broken_on_purpose_here() -> None:
    assert {contract for contract, _, _ in VIOLATIONS} == CONTRACTS.keys()


def test_every_module_has_its_layer() -> None:
    """A new module of the composition root stands under no contract until it is given a layer."""
    layered = set(re.findall(r"[\w.]+", " ".join(CONTRACTS["layers"]["layers"])))
    root = CHECKOUT / "nekonymous_site"
    modules = {f"nekonymous_site.{path.stem}" for path in root.glob("*.py") if path.stem != "__init__"}
    packages = {f"nekonymous_site.{path.parent.name}" for path in root.glob("*/__init__.py")}

    assert layered == {*PACKAGES, *modules, *packages} - {"nekonymous_site"}
