"""No log line, warning or traceback can carry a value: canaries go in everywhere and come out nowhere."""

import json
import logging
import os
import re
import subprocess
import sys
import textwrap
from typing import Any

import pytest
import structlog
from celery import Celery
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nekonymous_site.duration_buckets import duration_bucket
from nekonymous_site.environment import CHECKOUT
from nekonymous_site.logging_redaction import OneLineFormatter, allowed_facts

CANARY = "سلام canary-7291"
TOKEN = "4242424242:AAabcdefghijklmnopqrstuvwxyz0123456"
CAPABILITY = "A" * 20 + "b-c_1" + "D" * 18

Lines = list[dict[str, Any]]


def written(capsys: pytest.CaptureFixture[str]) -> Lines:
    captured = capsys.readouterr()
    assert CANARY not in captured.err + captured.out
    assert "canary" not in captured.err + captured.out
    return [json.loads(line) for line in captured.err.splitlines()]


def fail_with_secrets() -> None:
    local_value = f"{CANARY} and {TOKEN}"
    try:
        dict[str, str]()[local_value]
    except KeyError as error:
        raise ValueError(local_value) from error


class TestOwnEvents:
    def test_the_vocabulary_is_kept(self, capsys: pytest.CaptureFixture[str]) -> None:
        structlog.get_logger("intake").info(
            "update_accepted", operation="accept_message", status=200, duration_bucket="<50ms", attempt=2
        )
        (line,) = written(capsys)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line.pop("time"))
        assert line == {
            "level": "info",
            "logger": "intake",
            "event": "update_accepted",
            "operation": "accept_message",
            "status": 200,
            "duration_bucket": "<50ms",
            "attempt": 2,
        }

    def test_unknown_facts_are_dropped_and_counted(self, capsys: pytest.CaptureFixture[str]) -> None:
        structlog.get_logger("intake").warning("update_refused", text=CANARY, chat_id=7291, user="canary")
        (line,) = written(capsys)
        assert line["event"] == "update_refused"
        assert line["dropped_facts"] == 3
        assert "7291" not in json.dumps(line)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("operation", CANARY),
            ("operation", "user_7291"),
            ("status", 72_910_123),
            ("status", "72910123"),
            ("status", True),
            ("error_class", "ValueError: canary"),
            ("duration_bucket", "0.0123s"),
            ("attempt", 7_291),
            ("attempt", [CANARY]),
            ("request_id", "7291"),
        ],
    )
    def test_a_value_outside_its_form_is_dropped(self, name: str, value: object) -> None:
        assert allowed_facts({"event": "update_refused", name: value}) == {
            "event": "update_refused",
            "dropped_facts": 1,
        }

    @pytest.mark.parametrize("event", [CANARY, "update 7291 refused", "", "a" * 500, None])
    def test_an_event_that_is_no_constant_name_is_dropped(self, event: object) -> None:
        assert allowed_facts({"event": event}) == {"event": "unnamed_event", "dropped_facts": 1}

    def test_positional_arguments_do_not_reach_the_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        structlog.get_logger("intake").error("update_refused %s", CANARY)
        (line,) = written(capsys)
        assert line["event"] == "unnamed_event"

    def test_an_exception_is_its_class_and_its_places(self, capsys: pytest.CaptureFixture[str]) -> None:
        try:
            fail_with_secrets()
        except ValueError:
            structlog.get_logger("intake").exception("update_failed")
        (line,) = written(capsys)
        assert (line["error_class"], line["caused_by"]) == ("ValueError", ["KeyError"])
        places = line["raised_at"]
        assert [place.split()[-1] for place in places][-1] == "fail_with_secrets"
        assert all(
            re.fullmatch(r"tests/privacy/test_log_redaction\.py:\d+ [\w.<>]+", place) for place in places
        )

    @given(
        facts=st.dictionaries(
            st.sampled_from(
                ["operation", "status", "error_class", "duration_bucket", "attempt", "text", "event"]
            ),
            st.text(alphabet="0123456789 -@#/سلامab", min_size=4).filter(
                lambda text: re.search(r"[\d @#/س]", text)
            ),
        )
    )
    @settings(max_examples=200, suppress_health_check=[HealthCheck.filter_too_much])
    def test_no_free_text_passes(self, facts: dict[str, str]) -> None:
        kept = {name: value for name, value in allowed_facts(facts).items() if name != "dropped_facts"}
        assert kept == {"event": "unnamed_event"}


FOREIGN_LOGGERS = [
    "django.request",
    "django.security.DisallowedHost",
    "django.db.backends",
    "celery.app.trace",
    "kombu.connection",
    "urllib3.connectionpool",
    "aiohttp.server",
    "telebot",
    "py.warnings",
]


class TestForeignRecords:
    @pytest.mark.parametrize("name", FOREIGN_LOGGERS)
    def test_message_arguments_and_exception_text_are_dropped(
        self, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        try:
            fail_with_secrets()
        except ValueError:
            logging.getLogger(name).exception(
                "%s at /bot%s/sendMessage", CANARY, TOKEN, extra={"data": CANARY}
            )
        (line,) = written(capsys)
        assert (line["logger"], line["level"], line["event"]) == (name, "error", "foreign_record")
        assert line["error_class"] == "ValueError"
        assert line["logged_at"].startswith("tests/privacy/test_log_redaction.py:")

    def test_a_message_that_cannot_be_formatted_says_nothing(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        logging.getLogger("urllib3").warning("%d", CANARY)
        (line,) = written(capsys)
        assert line["logger"] == "urllib3"

    def test_records_below_warning_are_no_lines(self, capsys: pytest.CaptureFixture[str]) -> None:
        logging.getLogger("urllib3").info("GET /bot%s", TOKEN)
        assert written(capsys) == []

    def test_a_logger_named_after_a_value_is_unnamed(self, capsys: pytest.CaptureFixture[str]) -> None:
        logging.getLogger(CANARY).warning("hello")
        (line,) = written(capsys)
        assert line["logger"] == "unnamed"

    def test_a_failing_celery_task_keeps_its_arguments(self, capsys: pytest.CaptureFixture[str]) -> None:
        app = Celery("log_probe", set_as_current=False)

        @app.task(name="log_probe.fail")  # type: ignore[untyped-decorator]
        def fail(text: str) -> None:
            raise ValueError(text)

        assert fail.apply(args=(CANARY,)).failed()
        (line,) = written(capsys)
        assert (line["logger"], line["error_class"]) == ("celery.app.trace", "ValueError")

    def test_no_logger_of_django_has_a_handler_of_its_own(self) -> None:
        for name in ("django", "django.server", "django.request"):
            assert (logging.getLogger(name).handlers, logging.getLogger(name).propagate) == ([], True)


@pytest.mark.parametrize("secret", [TOKEN, f"bot{TOKEN}", CAPABILITY])
def test_the_last_net_blanks_tokens_and_capabilities_anywhere(secret: str) -> None:
    record = logging.LogRecord("net", logging.ERROR, f"/srv/{secret}/x.py", 1, "message", None, None)
    line = OneLineFormatter().format(record)
    assert secret not in line
    assert "[redacted]" in line


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.2, 0.9, 4.9, 5.0, 900.0])
def test_every_duration_bucket_has_the_allowed_form(seconds: float) -> None:
    bucket = duration_bucket(seconds)
    assert allowed_facts({"event": "done", "duration_bucket": bucket})["duration_bucket"] == bucket


class TestWholeProcess:
    """What Python itself and the bot library print, seen from outside."""

    @staticmethod
    def lines_of(code: str) -> Lines:
        preamble = "import django; django.setup()\n"
        environment = {"DJANGO_SETTINGS_MODULE": "nekonymous_site.settings", "PATH": os.environ["PATH"]}
        finished = subprocess.run(
            [sys.executable, "-c", preamble + textwrap.dedent(code)],
            capture_output=True,
            encoding="utf-8",
            cwd=CHECKOUT,
            env={**environment, "PYTHONUTF8": "1"},
            check=False,
            timeout=120,
        )
        assert "canary" not in finished.stdout + finished.stderr
        assert TOKEN not in finished.stdout + finished.stderr
        return [json.loads(line) for line in finished.stderr.splitlines()]

    def test_an_uncaught_exception_is_one_line(self) -> None:
        (line,) = self.lines_of(f"raise ValueError({CANARY!r})")
        assert (line["event"], line["error_class"]) == ("uncaught_exception", "ValueError")

    def test_an_uncaught_exception_of_a_thread_is_one_line(self) -> None:
        (line,) = self.lines_of(
            f"""
            import threading
            def work():
                raise ValueError({CANARY!r})
            thread = threading.Thread(target=work, name={CANARY!r})
            thread.start()
            thread.join()
            """
        )
        assert (line["event"], line["error_class"]) == ("uncaught_exception", "ValueError")

    def test_an_exception_in_a_destructor_is_one_line(self) -> None:
        (line,) = self.lines_of(
            f"""
            class Leaving:
                def __del__(self):
                    raise ValueError({CANARY!r})
            Leaving()
            """
        )
        assert line["error_class"] == "ValueError"

    def test_a_warning_is_one_line(self) -> None:
        (line,) = self.lines_of(f"import warnings; warnings.warn({CANARY!r}, RuntimeWarning)")
        assert (line["logger"], line["error_class"]) == ("py.warnings", "RuntimeWarning")

    def test_the_bot_library_cannot_print_although_it_brings_a_handler(self) -> None:
        assert self.lines_of(f"import telebot; telebot.logger.error('bot{TOKEN} %s', {CANARY!r})") == []

    def test_a_celery_worker_keeps_this_log(self) -> None:
        (line,) = self.lines_of(
            f"""
            from celery.utils.log import get_task_logger
            from nekonymous_site.celery import app
            app.log.setup(loglevel="INFO", redirect_stdouts=True)
            get_task_logger("probe").warning("%s", {CANARY!r})
            """
        )
        assert (line["logger"], line["event"]) == ("probe", "foreign_record")

    def test_an_interruption_shows_no_traceback(self) -> None:
        (line,) = self.lines_of(f"text = {CANARY!r}; raise KeyboardInterrupt(text)")
        assert line["event"] == "interrupted"
