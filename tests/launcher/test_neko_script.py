"""What ./neko does before there is a Python: finding one, or saying what to install."""

import sys
from pathlib import Path

import pytest
from running_neko import NEKO, neko_environ, run_neko
from small_checkout import SmallCheckout

_WHO_RUNS = "import locale, sys\nprint(sys.executable, sys.flags.utf8_mode, *sys.argv[1:])\n"


@pytest.fixture
def checkout(tmp_path: Path) -> SmallCheckout:
    """A checkout whose set-up only says which Python was chosen for it."""
    small = SmallCheckout(tmp_path / "checkout")
    (small.root / "nekonymous_site" / "embedded" / "venv_setup.py").write_text(_WHO_RUNS)
    return small


def _fake_python(path: Path, *, probe_exit_code: int) -> Path:
    """A program that answers ./neko's question as a Python of some kind would."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n[ "$1" = -I ] && exit {probe_exit_code}\necho 3.9\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("arguments", [(), ("help",), ("--help",), ("-h",)])
def test_the_usage_needs_nothing_at_all(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    shown = run_neko(*arguments, environ={"PATH": "/usr/bin:/bin"}, folder=tmp_path)
    assert shown.returncode == 0
    for word in ("./neko up", "./neko test", "./neko <command>"):
        assert word in shown.stdout


def test_too_old_a_python_is_named_with_what_to_install(checkout: SmallCheckout, tmp_path: Path) -> None:
    old = _fake_python(tmp_path / "old" / "python3", probe_exit_code=3)
    refused = checkout.run(environ=checkout.environ(NEKO_PYTHON=str(old)))
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert line.startswith(f"neko: {old} is Python 3.9, but 3.11 or newer is needed: install it")
    assert "apt install python3 python3-venv" in line


def test_a_python_without_venv_is_named_with_what_to_install(checkout: SmallCheckout, tmp_path: Path) -> None:
    bare = _fake_python(tmp_path / "bare" / "python3", probe_exit_code=4)
    refused = checkout.run(environ=checkout.environ(NEKO_PYTHON=str(bare)))
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert line.startswith(f"neko: {bare} has no venv module: install it")


def test_a_named_python_that_does_not_run_is_told(checkout: SmallCheckout) -> None:
    refused = checkout.run(environ=checkout.environ(NEKO_PYTHON="/nonexistent/python"))
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert line.startswith("neko: NEKO_PYTHON=/nonexistent/python cannot be run")


def test_pythons_that_will_not_do_are_passed_over(checkout: SmallCheckout, tmp_path: Path) -> None:
    _fake_python(tmp_path / "first" / "python3", probe_exit_code=3)
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "python3.14").write_text("not executable")
    good = tmp_path / "third" / "python3.13"
    good.parent.mkdir()
    good.symlink_to(sys.executable)
    path = ":".join(str(tmp_path / name) for name in ("first", "second", "third"))
    found = checkout.run(environ=checkout.environ(PATH=f"{path}:/usr/bin:/bin"))
    assert found.stdout == f"{good} 1 reach it\n", found.stderr


def test_a_bad_locale_does_not_decide_how_text_is_read(checkout: SmallCheckout) -> None:
    found = checkout.run(environ=checkout.environ(LC_ALL="xx_YY.UTF-8", NEKO_PYTHON=sys.executable))
    assert found.stdout == f"{sys.executable} 1 reach it\n"
    assert found.stderr == ""


def test_a_chain_of_links_leads_home(checkout: SmallCheckout, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "first").symlink_to("../checkout/neko")
    (tmp_path / "second").symlink_to("links/first")
    found = run_neko(
        "x", environ=checkout.environ(NEKO_PYTHON=sys.executable), neko=tmp_path / "second", folder=Path("/")
    )
    assert found.stdout == f"{sys.executable} 1 x\n", found.stderr


def test_a_colon_in_the_path_is_told(tmp_path: Path) -> None:
    colon = SmallCheckout(tmp_path / "a:b")
    refused = colon.run()
    assert refused.returncode == 1
    assert "holds a colon" in refused.stderr


def test_files_in_the_present_folder_are_not_imported(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('imported from where the person stands')\n")
    shown = run_neko(
        "help", "--commands", environ=neko_environ(tmp_path / "data"), neko=NEKO, folder=tmp_path
    )
    assert shown.returncode == 0, shown.stderr
    assert "migrate" in shown.stdout.split()
