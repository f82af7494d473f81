"""What this process was told by its environment, read once and checked whole.

Only the standard library is used, so that the launcher can read the same names before anything is installed
and before Django exists. A secret may come from a file: NAME_FILE instead of NAME.
"""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeVar
from urllib.parse import SplitResult, urlsplit

Mode = Literal["development", "production"]
Updates = Literal["webhook", "polling"]
Language = Literal["fa", "en"]
_Chosen = TypeVar("_Chosen", bound=str)

CHECKOUT: Final = Path(__file__).resolve().parent.parent
TELEGRAM_API_URL: Final = "https://api.telegram.org"
LOOPBACK_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")
LONGEST_SECRET_FILE_BYTES: Final = 65_536

_BOT_TOKEN: Final = re.compile(r"([1-9][0-9]{0,15}):[A-Za-z0-9_-]{20,100}")
_WEBHOOK_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}")
_WHOLE_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_ALLOWED_HOST: Final = re.compile(r"\*|\.?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.?|\[[0-9A-Fa-f:.]+\]")


class ConfigurationInvalid(Exception):
    """The environment holds values that cannot be used."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        """Keep one line per problem, "NAME: what is wrong"; none of them repeats a value."""
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Every setting of the process. Secrets are left out of the repr; `missing` names what was not given."""

    mode: Mode
    bot_token: str | None = field(repr=False)
    bot_id: int | None
    api_url: str
    webhook_secret: str | None = field(repr=False)
    public_url: str | None
    updates: Updates
    bind: str
    port: int
    allowed_hosts: tuple[str, ...]
    data_dir: Path
    database_url: str | None = field(repr=False)
    redis_url: str | None = field(repr=False)
    master_keys: str | None = field(repr=False)
    hmac_pepper: str | None = field(repr=False)
    operator_chat: int | None = field(repr=False)
    contact: str | None
    source_url: str | None
    sandbox_port: int
    default_language: Language
    failpoints: Path | None
    missing: tuple[str, ...]

    @property
    def setup_mode(self) -> bool:
        """Whether this is a production process that only says which names it still needs."""
        return self.mode == "production" and bool(self.missing)


def read_environment(environ: Mapping[str, str]) -> Environment:
    """Read every name, or raise ConfigurationInvalid that lists all malformed ones at once.

    Reads the files named by NAME_FILE and nothing else; makes nothing up; may be repeated.
    """
    values = _Values(environ)
    environment = _compose(values)
    if values.problems:
        raise ConfigurationInvalid(tuple(values.problems))
    return environment


def _compose(values: "_Values") -> Environment:
    mode = values.mode()
    public_url = values.public_url(mode)
    updates = values.updates("webhook" if public_url else "polling")
    bot_token = values.matching_secret("TELEGRAM_BOT_TOKEN", _BOT_TOKEN, "is no bot token (digits:letters)")
    needed = {
        "TELEGRAM_BOT_TOKEN": bot_token,
        "TELEGRAM_WEBHOOK_SECRET": values.matching_secret(
            "TELEGRAM_WEBHOOK_SECRET", _WEBHOOK_SECRET, "must be 1 to 256 of A-Z a-z 0-9 _ -"
        ),
        "DATABASE_URL": values.service_url("DATABASE_URL", ("postgresql", "postgres")),
        "REDIS_URL": values.service_url("REDIS_URL", ("redis", "rediss", "unix")),
        "NEKO_MASTER_KEYS": values.secret("NEKO_MASTER_KEYS"),
        "NEKO_HMAC_PEPPER": values.secret("NEKO_HMAC_PEPPER"),
    }
    return Environment(
        mode=mode,
        bot_token=bot_token,
        bot_id=int(bot_token.partition(":")[0]) if bot_token else None,
        api_url=values.web_url("TELEGRAM_API_URL") or TELEGRAM_API_URL,
        webhook_secret=needed["TELEGRAM_WEBHOOK_SECRET"],
        public_url=public_url,
        updates=updates,
        bind=values.bind_address("NEKO_BIND", "127.0.0.1"),
        port=values.port("NEKO_PORT", 8000),
        allowed_hosts=values.allowed_hosts(public_url),
        data_dir=CHECKOUT / (values.text("NEKO_DATA_DIR") or ".neko"),
        database_url=needed["DATABASE_URL"],
        redis_url=needed["REDIS_URL"],
        master_keys=needed["NEKO_MASTER_KEYS"],
        hmac_pepper=needed["NEKO_HMAC_PEPPER"],
        operator_chat=values.whole_number("NEKO_OPERATOR_CHAT"),
        contact=values.text("NEKO_CONTACT"),
        source_url=values.web_url("NEKO_SOURCE_URL"),
        sandbox_port=values.port("NEKO_SANDBOX_PORT", 8081),
        default_language=values.language(),
        failpoints=values.failpoints(mode),
        missing=tuple(name for name, value in needed.items() if value is None and _is_needed(name, updates)),
    )


def _is_needed(name: str, updates: Updates) -> bool:
    return name != "TELEGRAM_WEBHOOK_SECRET" or updates == "webhook"


class _Values:
    """The raw names with a list of what is wrong with them; a wrong value reads as not given."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.problems: list[str] = []

    def _refuse(self, name: str, why: str) -> None:
        self.problems.append(f"{name}: {why}")

    def text(self, name: str) -> str | None:
        """The value without surrounding blanks; an empty one counts as not given."""
        value = self._environ.get(name, "").strip()
        if "\x00" in value or "\n" in value:
            self._refuse(name, "must be a single line")
            return None
        return value or None

    def secret(self, name: str) -> str | None:
        """The value of NAME, or the content of the file named by NAME_FILE."""
        value, path = self.text(name), self.text(f"{name}_FILE")
        if path is None:
            return value
        if value is not None:
            self._refuse(name, f"is given twice, also as {name}_FILE")
            return None
        return self._file_content(f"{name}_FILE", Path(path))

    def _file_content(self, name: str, path: Path) -> str | None:
        try:
            with path.open("rb") as file:
                raw = file.read(LONGEST_SECRET_FILE_BYTES + 1)
            content = raw.decode().strip()
        except OSError as error:
            self._refuse(name, f"{path}: {error.strerror}")
        except UnicodeDecodeError:
            self._refuse(name, f"{path}: is no text")
        else:
            if content and "\n" not in content and len(raw) <= LONGEST_SECRET_FILE_BYTES:
                return content
            self._refuse(name, f"{path}: must hold one line and nothing else")
        return None

    def matching_secret(self, name: str, pattern: re.Pattern[str], why: str) -> str | None:
        value = self.secret(name)
        if value is None or pattern.fullmatch(value):
            return value
        self._refuse(name, why)
        return None

    def _chosen(self, name: str, allowed: tuple[_Chosen, ...], default: _Chosen) -> _Chosen:
        value = self.text(name)
        for choice in allowed:
            if choice == value:
                return choice
        if value is not None:
            self._refuse(name, f"must be {' or '.join(allowed)}")
        return default

    def mode(self) -> Mode:
        return self._chosen("NEKO_ENV", ("development", "production"), "development")

    def updates(self, default: Updates) -> Updates:
        return self._chosen("NEKO_UPDATES", ("webhook", "polling"), default)

    def language(self) -> Language:
        return self._chosen("NEKO_DEFAULT_LANGUAGE", ("fa", "en"), "fa")

    def failpoints(self, mode: Mode) -> Path | None:
        value = self.text("NEKO_FAILPOINTS")
        if value and mode == "production":
            self._refuse("NEKO_FAILPOINTS", "is for the fault lab and has no place in production")
        return Path(value) if value else None

    def whole_number(self, name: str) -> int | None:
        value = self.text(name)
        if value is None or _WHOLE_NUMBER.fullmatch(value):
            return None if value is None else int(value)
        self._refuse(name, "must be a whole number")
        return None

    def port(self, name: str, default: int) -> int:
        number = self.whole_number(name)
        if number is None or 1 <= number <= 65_535:
            return default if number is None else number
        self._refuse(name, "must be a port from 1 to 65535")
        return default

    def bind_address(self, name: str, default: str) -> str:
        value = self.text(name) or default
        try:
            return str(ipaddress.ip_address("127.0.0.1" if value == "localhost" else value))
        except ValueError:
            self._refuse(name, "must be an IP address")
            return default

    def service_url(self, name: str, schemes: tuple[str, ...]) -> str | None:
        value = self.secret(name)
        if value is None:
            return None
        if value.partition("://")[0] not in schemes:
            self._refuse(name, f"must begin with {' or '.join(f'{scheme}://' for scheme in schemes)}")
            return None
        if "redis" in schemes and not _has_usable_port(value):
            self._refuse(name, "names a port that is none")
            return None
        return value

    def web_url(self, name: str) -> str | None:
        """An http(s) address without a trailing slash, credentials, query or fragment."""
        value = self.text(name)
        if value is None:
            return None
        if _split_web_url(value) is None:
            self._refuse(name, "must be an http or https address without credentials, query or fragment")
            return None
        return value.rstrip("/")

    def public_url(self, mode: Mode) -> str | None:
        """The origin Telegram reaches us at: https, or plain http on loopback in development."""
        value = self.web_url("PUBLIC_URL")
        url = _split_web_url(value) if value else None
        if url is None:
            return None
        if url.path:
            self._refuse("PUBLIC_URL", "must be an origin without a path")
        elif url.scheme != "https" and not (mode == "development" and _is_loopback(url)):
            self._refuse(
                "PUBLIC_URL", "must begin with https:// (plain http only for loopback in development)"
            )
        else:
            return value
        return None

    def allowed_hosts(self, public_url: str | None) -> tuple[str, ...]:
        """The named hosts, else that of PUBLIC_URL; loopback always, as health probes come from there."""
        names = (self.text("NEKO_ALLOWED_HOSTS") or "").split(",")
        named = tuple(name.strip() for name in names if name.strip())
        if not all(_ALLOWED_HOST.fullmatch(host) for host in named):
            self._refuse("NEKO_ALLOWED_HOSTS", "must be host names without port, separated by commas")
        own = (_bracketed_host(public_url),) if public_url else ()
        return tuple(dict.fromkeys((*LOOPBACK_HOSTS, *(named or own))))


def _has_usable_port(url: str) -> bool:
    # Postgres is left to libpq, which knows lists of hosts and ports as well.
    try:
        return urlsplit(url).port != 0
    except ValueError:
        return False


def _split_web_url(value: str) -> SplitResult | None:
    try:
        url = urlsplit(value)
        usable = url.scheme in ("http", "https") and url.hostname and url.port != 0
    except ValueError:
        return None
    spare = url.username is not None or url.query or url.fragment or any(letter.isspace() for letter in value)
    return url if usable and not spare else None


def _is_loopback(url: SplitResult) -> bool:
    return _bracketed_host(url.geturl()) in LOOPBACK_HOSTS


def _bracketed_host(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return f"[{host}]" if ":" in host else host
