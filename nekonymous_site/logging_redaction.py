"""One log line per event that can hold nothing about a person.

Nothing is filtered out after the fact: a line is built from an allow-list. Our own events bring a constant
name and a few facts of a closed form; from any other library only the logger's name, the place in the code
and the class of the exception are kept, since its message may quote a text, a token or an address. A last
net blanks whatever still looks like a bot token or a capability.
"""

import json
import logging
import re
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, TextIO

import structlog
from structlog.typing import EventDict, WrappedLogger
from typing_extensions import override

from nekonymous_site.environment import CHECKOUT

_NAME: Final = re.compile(r"[A-Za-z]{1,40}([_.][A-Za-z]{1,40}){0,6}")
_LOGGER_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}(\.[A-Za-z_][A-Za-z0-9_]{0,40}){0,6}")
# The whole vocabulary of our own events: what else is passed to a logger is dropped and only counted.
ALLOWED_FACTS: Final[Mapping[str, re.Pattern[str]]] = {
    "operation": _NAME,
    "status": re.compile(r"[a-z]{1,40}(_[a-z]{1,40}){0,4}|[1-5][0-9]{2}"),
    "error_class": re.compile(r"[A-Za-z][A-Za-z_]{0,60}"),
    "duration_bucket": re.compile(r"[<>]=?[0-9]{1,3}(ms|s)"),
    "attempt": re.compile(r"[0-9]{1,2}"),
    "request_id": re.compile(r"[0-9a-f]{16}"),
}

_CODE_LOCATIONS: Final = 12
_CHAINED_ERRORS: Final = 6
_FACTS_ATTRIBUTE: Final = "neko_facts"
_LAST_NET: Final = re.compile(
    r"(bot)?[0-9]{5,}:[A-Za-z0-9_-]{20,}"  # a bot token, as such or inside an address
    r"|(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])"  # a capability, a key
)


def configure_logging(options: Mapping[str, str]) -> None:
    """Route every record, warning and uncaught exception of the process through the one line format.

    Called by Django with settings.LOGGING ("level" for our own events), and once more by a Celery worker in
    place of Celery's own set-up. May be repeated. Handlers that libraries brought are taken away.
    """
    handler = _StandardErrorHandler()
    handler.setFormatter(OneLineFormatter())
    handler.addFilter(_is_worth_a_line)
    _take_over_handlers(handler, level=options["level"])
    # The logging package would otherwise print a record it cannot format, arguments included.
    logging.raiseExceptions = False
    _configure_structlog()
    _install_last_hooks()


class _StandardErrorHandler(logging.Handler):
    """Writes to whatever sys.stderr is at that moment, as a test or a worker may have replaced it."""

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Write one line; a full disk or a closed pipe loses the line, never the request."""
        with suppress(OSError, ValueError):
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()


class OneLineFormatter(logging.Formatter):
    """Formats a record as one line of JSON from allow-listed parts; never touches a foreign message."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        """Build the line; a foreign record's arguments are not even rendered."""
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name if _LOGGER_NAME.fullmatch(record.name) else "unnamed",
            **_record_facts(record),
            **_exception_facts(record.exc_info),
        }
        return _LAST_NET.sub("[redacted]", json.dumps(line, ensure_ascii=True))


def _record_facts(record: logging.LogRecord) -> Mapping[str, object]:
    facts: Mapping[str, object] | None = getattr(record, _FACTS_ATTRIBUTE, None)
    if facts is not None:
        return facts
    place = f"{_short_path(record.pathname)}:{record.lineno} {record.funcName}"
    return {"event": "foreign_record", "logged_at": place, **structlog.contextvars.get_contextvars()}


def _exception_facts(exc_info: object) -> Mapping[str, object]:
    error = exc_info[1] if isinstance(exc_info, tuple) else None
    if not isinstance(error, BaseException):
        return {}
    first, *causes = (type(link).__qualname__ for link in _chain(error))
    facts: dict[str, object] = {"error_class": first, "raised_at": _code_locations(error.__traceback__)}
    return {**facts, "caused_by": causes} if causes else facts


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    for _ in range(_CHAINED_ERRORS):
        if link is None:
            return
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _code_locations(trace: TracebackType | None) -> list[str]:
    """The innermost places of a traceback; no source line and no local is looked at."""
    innermost = deque(traceback.walk_tb(trace), maxlen=_CODE_LOCATIONS)
    return [
        f"{_short_path(frame.f_code.co_filename)}:{line} {frame.f_code.co_qualname}"
        for frame, line in innermost
    ]


def _short_path(path: str) -> str:
    """The path without the folders above the checkout or site-packages: they may name the machine's owner."""
    _, marker, inside = path.rpartition("/site-packages/")
    if marker:
        return inside
    if Path(path).is_relative_to(CHECKOUT):
        return str(Path(path).relative_to(CHECKOUT))
    return "/".join(Path(path).parts[-2:])


def _is_worth_a_line(record: logging.LogRecord) -> bool:
    """Foreign records say little here, so they count from WARNING on; answers have a line of their own."""
    if hasattr(record, _FACTS_ATTRIBUTE):
        return True
    is_repetition = record.name == "django.request" and not record.exc_info
    return record.levelno >= logging.WARNING and not is_repetition


def _take_over_handlers(handler: logging.Handler, *, level: str) -> None:
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for logger in list(root.manager.loggerDict.values()):
        if isinstance(logger, logging.Logger):
            logger.handlers.clear()
            logger.propagate = True
    # The bot library adds a handler of its own when it is imported, later than this, and prints tokens with
    # it. Nothing it says is lost: its calls are judged by the one client module.
    logging.getLogger("TeleBot").disabled = True


def _configure_structlog() -> None:
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, _hand_allowed_facts_to_logging],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _hand_allowed_facts_to_logging(
    _logger: WrappedLogger, _method: str, event_dict: EventDict
) -> tuple[tuple[str], dict[str, object]]:
    exc_info = event_dict.pop("exc_info", None)
    facts = allowed_facts(event_dict)
    return (str(facts["event"]),), {"exc_info": exc_info, "extra": {_FACTS_ATTRIBUTE: facts}}


def allowed_facts(event_dict: Mapping[str, object]) -> dict[str, object]:
    """Keep the event's name and the facts of the vocabulary; count what had to be dropped."""
    given = {name: value for name, value in event_dict.items() if value is not None or name == "event"}
    event = given.get("event")
    is_named = isinstance(event, str) and _NAME.fullmatch(event)
    kept = {name: value for name, value in given.items() if name != "event" and _is_allowed(name, value)}
    dropped = len(given) - len(kept) - bool(is_named)
    return {
        "event": event if is_named else "unnamed_event",
        **kept,
        **({"dropped_facts": dropped} if dropped else {}),
    }


def _is_allowed(name: str, value: object) -> bool:
    pattern = ALLOWED_FACTS.get(name)
    return pattern is not None and type(value) in (str, int) and pattern.fullmatch(str(value)) is not None


def _install_last_hooks() -> None:
    """Python prints an uncaught exception, its message included; here it becomes a line like any other."""
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread
    sys.unraisablehook = _log_unraisable
    warnings.showwarning = _log_warning


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    event = "interrupted" if issubclass(kind, KeyboardInterrupt) else "uncaught_exception"
    structlog.get_logger("process").critical(event, exc_info=(kind, error, trace))


def _log_uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and args.exc_type is not SystemExit:
        _log_uncaught(args.exc_type, args.exc_value, args.exc_traceback)


def _log_unraisable(args: "sys.UnraisableHookArgs") -> None:
    if args.exc_value is not None:
        _log_uncaught(args.exc_type, args.exc_value, args.exc_traceback)


def _log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Take the place of warnings.showwarning; a warning's text may quote a value, its class and place not."""
    del message, file, line
    facts = {
        "event": "python_warning",
        "error_class": category.__qualname__,
        "logged_at": f"{_short_path(filename)}:{lineno}",
    }
    logging.getLogger("py.warnings").warning("python_warning", extra={_FACTS_ATTRIBUTE: facts})
