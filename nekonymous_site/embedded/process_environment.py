"""The environment every Django process gets from the launcher."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.keys_file import SANDBOX_TOKEN
from nekonymous_site.environment import CHECKOUT, ConfigurationInvalid, Environment, read_environment

KEY_NAMES: Final = ("NEKO_MASTER_KEYS", "NEKO_HMAC_PEPPER", "TELEGRAM_WEBHOOK_SECRET")
SERVICE_NAMES: Final = ("DATABASE_URL", "REDIS_URL")

# Nothing in these names is secret; a command in another shell needs them to meet the same processes.
SHARED_NAMES: Final = (
    "NEKO_ENV",
    "NEKO_BIND",
    "NEKO_PORT",
    "NEKO_SANDBOX_PORT",
    "NEKO_UPDATES",
    "PUBLIC_URL",
    "TELEGRAM_API_URL",
)
# These would quietly change the server programs' own options, or Python's.
_FOREIGN_PREFIXES = ("GRANIAN_", "CELERY_", "DJANGO_", "PYTHON")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductEnvironment:
    """The names for the product's processes, and what they mean."""

    environ: Mapping[str, str] = field(repr=False)
    settings: Environment
    sandbox: bool

    @property
    def missing_names(self) -> tuple[str, ...]:
        """What is missing and cannot be made up for by an embedded server."""
        return tuple(name for name in self.settings.missing if name not in SERVICE_NAMES)

    def shared(self, *, embedded: Mapping[str, str]) -> dict[str, str]:
        """What commands in other shells are told.

        A given address may hold a password, so in production only the embedded ones are written down.
        """
        names = SHARED_NAMES + (SERVICE_NAMES if self.settings.mode == "development" else ())
        return {name: self.environ[name] for name in names if name in self.environ} | dict(embedded)


def read_settings(environ: Mapping[str, str]) -> Environment:
    """Read the environment, or raise LauncherFailure that names everything malformed in it."""
    try:
        return read_environment(environ)
    except ConfigurationInvalid as error:
        raise LauncherFailure("the environment cannot be used", details=error.problems) from None


def compose_environment(
    environ: Mapping[str, str], *, keys: Mapping[str, str], embedded: Mapping[str, str]
) -> ProductEnvironment:
    """Complete what was given by kept keys, embedded addresses and the sandbox; given names always win.

    In production keys and sandbox are left out, whatever lies in the data folder.
    """
    given = read_settings(environ)
    values = _base(environ) | {"NEKO_DATA_DIR": str(given.data_dir)}
    values |= {name: url for name, url in embedded.items() if not is_given(name, environ)}
    sandbox = given.mode == "development" and given.bot_token is None and SANDBOX_TOKEN in keys
    if given.mode == "development":
        values |= {name: keys[name] for name in KEY_NAMES if name in keys and not is_given(name, environ)}
    if sandbox:
        values |= {
            "TELEGRAM_BOT_TOKEN": keys[SANDBOX_TOKEN],
            "TELEGRAM_API_URL": f"http://127.0.0.1:{given.sandbox_port}",
        }
        values.setdefault("NEKO_UPDATES", "webhook")
    return ProductEnvironment(environ=values, settings=read_settings(values), sandbox=sandbox)


def _base(environ: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environ.items() if not name.startswith(_FOREIGN_PREFIXES)}
    return kept | {
        "DJANGO_SETTINGS_MODULE": "nekonymous_site.settings",
        "LC_ALL": "C.UTF-8",
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": str(CHECKOUT),
        "PYTHONSAFEPATH": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
    }


def is_given(name: str, environ: Mapping[str, str]) -> bool:
    """Whether a name was given, as it is or as the file that holds its value."""
    return bool(environ.get(name, "").strip() or environ.get(f"{name}_FILE", "").strip())
