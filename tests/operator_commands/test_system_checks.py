"""Every wrong configuration is named by id with a hint, stays silent when right, and never shows a value."""

import base64
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.checks import CheckMessage, run_checks
from django.db import connection
from pytest_django.fixtures import Settings

from nekonymous_site import system_checks
from nekonymous_site.environment import CHECKOUT
from nekonymous_site.startup import EXIT_WRONG_CONFIGURATION

# Made up, and the same in every worker that collects these tests.
KEY, OTHER_KEY = (
    base64.urlsafe_b64encode(hashlib.sha256(name).digest()).decode().rstrip("=") for name in (b"one", b"two")
)
WEAK_KEY = "A" * 43


def ids_of(messages: list[CheckMessage]) -> list[str | None]:
    assert all(message.hint for message in messages)
    return [message.id for message in messages]


@pytest.fixture
def configure(settings: Settings) -> Callable[..., None]:
    def change(**fields: object) -> None:
        settings.NEKO = replace(settings.NEKO, **fields)

    return change


Configure = Callable[..., None]


class TestEnvironmentChecks:
    def test_missing_names(self, configure: Configure) -> None:
        configure(missing=())
        assert system_checks.check_nothing_is_missing() == []
        configure(missing=("NEKO_HMAC_PEPPER", "REDIS_URL"))
        (error,) = system_checks.check_nothing_is_missing()
        assert (error.id, error.msg) == ("neko.E001", "Not given: NEKO_HMAC_PEPPER, REDIS_URL.")
        assert "./neko" in str(error.hint)

    @pytest.mark.parametrize(
        ("master_keys", "pepper"),
        [
            (f"1:{WEAK_KEY}", KEY),
            (f"1:{KEY}", WEAK_KEY),
            (f"1:{KEY}", KEY),
            (f"1:{KEY},2:{KEY}", OTHER_KEY),
            (f"1:{KEY},1:{OTHER_KEY}", KEY),
            (f"1:{KEY[:-3]}", OTHER_KEY),
            (KEY, OTHER_KEY),
            (f"256:{KEY}", OTHER_KEY),
            (f"1:{KEY}", "not base64url!"),
        ],
    )
    def test_keys_that_cannot_be_used(self, configure: Configure, master_keys: str, pepper: str) -> None:
        configure(master_keys=master_keys, hmac_pepper=pepper)
        messages = system_checks.check_keys()
        assert ids_of(messages) == ["neko.E002"]
        shown = f"{messages[0].msg} {messages[0].hint}"
        assert KEY not in shown
        assert OTHER_KEY not in shown

    def test_good_keys_and_keys_that_are_not_there(self, configure: Configure) -> None:
        assert system_checks.check_keys() == []
        configure(master_keys=None)
        assert system_checks.check_keys() == []

    def test_a_webhook_secret_that_can_be_guessed(self, configure: Configure) -> None:
        configure(webhook_secret="a" * 15)
        assert ids_of(system_checks.check_webhook_secret()) == ["neko.E003"]
        for silent in ("a" * 16, None):
            configure(webhook_secret=silent)
            assert system_checks.check_webhook_secret() == []

    def test_debug_in_production(self, configure: Configure, settings: Settings) -> None:
        configure(mode="production")
        assert system_checks.check_debug_is_off() == []
        settings.DEBUG = True
        assert ids_of(system_checks.check_debug_is_off()) == ["neko.E004"]
        configure(mode="development")
        assert system_checks.check_debug_is_off() == []

    def test_a_celery_that_keeps_results(self, settings: Settings) -> None:
        assert system_checks.check_celery_keeps_no_results() == []
        settings.CELERY_RESULT_BACKEND = "redis://cache"
        assert ids_of(system_checks.check_celery_keeps_no_results()) == ["neko.E005"]
        settings.CELERY_RESULT_BACKEND = None
        settings.CELERY_TASK_IGNORE_RESULT = False
        assert ids_of(system_checks.check_celery_keeps_no_results()) == ["neko.E005"]

    def test_a_public_url_in_the_clear(self, configure: Configure) -> None:
        for silent in (None, "https://bot.example"):
            configure(public_url=silent)
            assert system_checks.check_public_url_is_https() == []
        configure(public_url="http://127.0.0.1:8000", mode="development")
        assert ids_of(system_checks.check_public_url_is_https()) == ["neko.W006"]
        configure(mode="production")
        assert ids_of(system_checks.check_public_url_is_https()) == ["neko.E006"]

    @pytest.mark.parametrize("hosts", [[], ["*"], ["bot.example", "*"], [".example"], ["."]])
    def test_hosts_that_are_none_or_all(self, settings: Settings, hosts: list[str]) -> None:
        settings.ALLOWED_HOSTS = hosts
        assert ids_of(system_checks.check_allowed_hosts()) == ["neko.E007"]

    def test_hosts_that_are_named(self, settings: Settings) -> None:
        settings.ALLOWED_HOSTS = ["127.0.0.1", "bot.example", ".bot.example"]
        assert system_checks.check_allowed_hosts() == []

    @pytest.mark.parametrize(
        ("mode", "ids"), [(0o700, []), (0o711, []), (0o750, ["neko.E008"]), (0o702, ["neko.E008"])]
    )
    def test_a_data_folder_open_to_others(
        self, configure: Configure, tmp_path: Path, mode: int, ids: list[str]
    ) -> None:
        tmp_path.chmod(mode)
        configure(data_dir=tmp_path)
        assert ids_of(system_checks.check_data_folder_is_private()) == ids

    def test_keys_open_to_others_in_a_closed_folder(self, configure: Configure, tmp_path: Path) -> None:
        tmp_path.chmod(0o700)
        keys = tmp_path / "keys.env"
        keys.touch(mode=0o600)
        configure(data_dir=tmp_path)
        assert system_checks.check_data_folder_is_private() == []
        keys.chmod(0o604)
        (error,) = system_checks.check_data_folder_is_private()
        assert (error.id, error.hint) == ("neko.E008", f"chmod 600 {keys}")

    def test_a_data_folder_that_is_not_there(self, configure: Configure, tmp_path: Path) -> None:
        configure(data_dir=tmp_path / "nowhere")
        assert system_checks.check_data_folder_is_private() == []

    @pytest.mark.parametrize(("user_id", "ids"), [(0, ["neko.W009"]), (1000, [])])
    def test_running_as_root(self, monkeypatch: pytest.MonkeyPatch, user_id: int, ids: list[str]) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: user_id)
        assert ids_of(system_checks.check_not_root()) == ids


ASKED = ["default"]


@pytest.mark.django_db
class TestDatabaseChecks:
    def test_the_search_path(self) -> None:
        assert system_checks.check_search_path(databases=ASKED) == []
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL search_path TO public")
        assert ids_of(system_checks.check_search_path(databases=ASKED)) == ["neko.E010"]
        assert system_checks.check_search_path(databases=None) == []

    def test_the_vector_extension(self, settings: Settings) -> None:
        assert system_checks.check_vector_extension(databases=ASKED) == []
        settings.SEARCH_PATH = ("public",)
        (error,) = system_checks.check_vector_extension(databases=ASKED)
        assert error.id == "neko.E011"
        assert system_checks.VECTOR_SQL in str(error.hint)
        assert system_checks.check_vector_extension(databases=None) == []

    def test_the_reader_roles(self, settings: Settings) -> None:
        assert system_checks.check_reader_roles(databases=ASKED) == []
        settings.PLANES = (*settings.PLANES, "dreams")
        (warning,) = system_checks.check_reader_roles(databases=ASKED)
        assert warning.id == "neko.W012"
        assert "CREATE ROLE neko_dreams_reader NOLOGIN;" in str(warning.hint)
        assert "neko_accounts_reader" not in str(warning.hint)
        assert system_checks.check_reader_roles(databases=None) == []

    def test_this_very_configuration_passes(self) -> None:
        messages = run_checks(
            tags=[system_checks.NEKO_TAG], include_deployment_checks=True, databases=["default"]
        )
        assert [message.id for message in messages if message.is_serious()] == []


def run_python(
    *arguments: str, environ: dict[str, str], timeout_seconds: int = 120
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], **environ},
        check=False,
        timeout=timeout_seconds,
    )


WHOLE = {
    "NEKO_ENV": "production",
    "NEKO_DATA_DIR": "/nonexistent",
    "TELEGRAM_BOT_TOKEN": "4242424242:AAabcdefghijklmnopqrstuvwxyz0123456",
    "DATABASE_URL": "postgresql://neko:hunter2@/neko?host=/nonexistent",
    "REDIS_URL": "unix:///nonexistent?db=0",
    "NEKO_MASTER_KEYS": f"1:{KEY}",
    "NEKO_HMAC_PEPPER": OTHER_KEY,
}


class TestStartOfAProcess:
    """The real modules in processes of their own."""

    def test_a_right_configuration_starts_though_the_database_is_away(self) -> None:
        started = run_python("-c", "import nekonymous_site.wsgi", environ=WHOLE)
        assert (started.returncode, started.stderr) == (0, "")

    def test_setup_mode_starts(self) -> None:
        started = run_python("-c", "import nekonymous_site.wsgi", environ={"NEKO_ENV": "production"})
        assert (started.returncode, started.stderr) == (0, "")

    def test_a_missing_name_in_development_refuses_the_start(self) -> None:
        started = run_python("-c", "import nekonymous_site.wsgi", environ={})
        assert started.returncode == EXIT_WRONG_CONFIGURATION
        assert "neko.E001: Not given: TELEGRAM_BOT_TOKEN, " in started.stderr
        assert "hint: Start through ./neko" in started.stderr

    def test_weak_keys_refuse_the_start_without_being_shown(self) -> None:
        started = run_python(
            "-c", "import nekonymous_site.wsgi", environ={**WHOLE, "NEKO_HMAC_PEPPER": WEAK_KEY}
        )
        assert started.returncode == EXIT_WRONG_CONFIGURATION
        assert "neko.E002" in started.stderr
        assert "Traceback" not in started.stderr
        assert WEAK_KEY not in started.stderr

    @pytest.mark.parametrize(
        ("name", "value"), [("NEKO_PORT", "eighty"), ("DATABASE_URL", "postgresql://u:hunter2@[bad/neko")]
    )
    def test_a_malformed_value_refuses_the_start_in_one_line(self, name: str, value: str) -> None:
        started = run_python("-c", "import nekonymous_site.wsgi", environ={**WHOLE, name: value})
        assert started.returncode == EXIT_WRONG_CONFIGURATION
        assert started.stderr.splitlines()[1].startswith(f"{name}: ")
        assert len(started.stderr.splitlines()) == 2
        assert "hunter2" not in started.stderr


class TestManagementCommands:
    def test_a_bare_checkout_can_check_and_look_for_missing_migrations(self) -> None:
        for command in (["check"], ["makemigrations", "--check", "--dry-run"], ["migrate", "--help"]):
            finished = run_python("manage.py", *command, environ={})
            assert (command, finished.returncode, finished.stderr) == (command, 0, "")

    @pytest.mark.parametrize("environ", [{}, {"DATABASE_URL": WHOLE["DATABASE_URL"]}])
    def test_without_a_running_database_one_line_says_so(self, environ: dict[str, str]) -> None:
        finished = run_python("manage.py", "showmigrations", environ=environ)
        assert finished.returncode == 1
        assert finished.stderr.startswith("nothing is running here: start with ./neko up")
        assert len(finished.stderr.splitlines()) == 1
        assert "hunter2" not in finished.stderr

    def test_a_malformed_value_is_one_line(self) -> None:
        finished = run_python("manage.py", "check", environ={"NEKO_PORT": "eighty"})
        assert (finished.returncode, finished.stderr) == (1, "NEKO_PORT: must be a whole number\n")

    def test_the_deploy_check_names_every_id_with_its_hint(self) -> None:
        environ = {
            **WHOLE,
            "NEKO_HMAC_PEPPER": KEY,
            "NEKO_ALLOWED_HOSTS": "*",
            "TELEGRAM_WEBHOOK_SECRET": "short",
        }
        finished = run_python("manage.py", "check", "--deploy", environ=environ)
        assert finished.returncode == 1
        for check_id in ("neko.E002", "neko.E003", "neko.E007"):
            assert f"({check_id})" in finished.stderr
        assert KEY not in finished.stderr
