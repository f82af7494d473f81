"""A checkout with the launcher and nothing to install, to watch how the environment is set up."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from running_neko import NEKO, REPOSITORY, neko_environ, run_neko

SETTING_UP = "Setting up the environment"
_MANAGE = "import sys\nprint('managed', *sys.argv[1:])\n"


class SmallCheckout:
    """Its manage.py only says that it was reached."""

    def __init__(self, root: Path) -> None:
        self.root = root
        package = root / "nekonymous_site"
        package.mkdir(parents=True)
        shutil.copy(NEKO, root / "neko")
        for name in ("__init__.py", "environment.py"):
            shutil.copy(REPOSITORY / "nekonymous_site" / name, package / name)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / "nekonymous_site" / "embedded", package / "embedded", ignore=ignored)
        (root / "manage.py").write_text(_MANAGE)
        self.require("# nothing to install\n")

    @property
    def neko(self) -> Path:
        return self.root / "neko"

    @property
    def stamp(self) -> Path:
        return self.root / ".venv" / "neko-stamp.json"

    @property
    def site_packages(self) -> Path:
        (found,) = (self.root / ".venv" / "lib").glob("python3.*/site-packages")
        return found

    def environ(self, **changes: str) -> Mapping[str, str]:
        return neko_environ(self.root / "data", **changes)

    def require(self, text: str) -> None:
        for name in ("requirements.txt", "requirements-dev.txt"):
            (self.root / name).write_text(text)

    def run(self, *, environ: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return run_neko("reach", "it", environ=environ or self.environ(), neko=self.neko)

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.neko), "reach", "it"],
            env=dict(self.environ()),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def open_to_everybody(self) -> None:
        for path in (self.root, *self.root.rglob("*")):
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() or path == self.neko else 0o444))
