"""keys.env in the data folder: the secrets a development installation made for itself."""

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from nekonymous_site.embedded.private_files import write_private_file

SANDBOX_TOKEN = "NEKO_SANDBOX_TOKEN"  # noqa: S105 - the name of one
_HEADER = (
    "# Made by ./neko up on its first run, for development. Whoever has these keys can open every stored\n"
    "# message; without them nobody can. Production gets its own from the environment.\n"
)


def _make_bot_token() -> str:
    bot_id = 10**9 + secrets.randbelow(10**9)
    return f"{bot_id}:{secrets.token_urlsafe(26)}"


_MAKERS: Mapping[str, Callable[[], str]] = {
    "NEKO_MASTER_KEYS": lambda: f"1:{secrets.token_urlsafe(32)}",
    "NEKO_HMAC_PEPPER": lambda: secrets.token_urlsafe(32),
    "TELEGRAM_WEBHOOK_SECRET": lambda: secrets.token_urlsafe(32),
    SANDBOX_TOKEN: _make_bot_token,
}


def make_keys() -> dict[str, str]:
    """A fresh set of every key, kept nowhere."""
    return {name: make() for name, make in _MAKERS.items()}


def read_keys(path: Path) -> dict[str, str]:
    """The keys in the file; none if there is no file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name: value for name, _, value in pairs}


def missing_sealing_keys(path: Path) -> list[str]:
    """The names in the file without which stored data stays closed, as far as they are not in it."""
    kept = read_keys(path)
    return [name for name in ("NEKO_MASTER_KEYS", "NEKO_HMAC_PEPPER") if not kept.get(name)]


def keep_keys(path: Path) -> dict[str, str]:
    """The keys in the file, made now where they are missing; those that exist are never changed."""
    kept = read_keys(path)
    missing = {name: make() for name, make in _MAKERS.items() if name not in kept}
    if missing:
        lines = (f"{name}={value}\n" for name, value in {**kept, **missing}.items())
        write_private_file(path, _HEADER + "".join(lines))
    return {**kept, **missing}
