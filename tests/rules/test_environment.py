"""The environment is read strictly, all mistakes at once, and no message repeats a value."""

import subprocess
import sys
from pathlib import Path

import pytest

from nekonymous_site.environment import CHECKOUT, ConfigurationInvalid, Environment, read_environment

TOKEN = "4242424242:AAabcdefghijklmnopqrstuvwxyz0123456"
WHOLE = {
    "TELEGRAM_BOT_TOKEN": TOKEN,
    "TELEGRAM_WEBHOOK_SECRET": "s" * 40,
    "DATABASE_URL": "postgresql://neko:hunter2@db/neko",
    "REDIS_URL": "redis://:hunter3@cache:6379/0",
    "NEKO_MASTER_KEYS": "1:" + "k" * 43,
    "NEKO_HMAC_PEPPER": "p" * 43,
}
SECRET_NAMES = tuple(WHOLE)


def problems_of(environ: dict[str, str]) -> tuple[str, ...]:
    with pytest.raises(ConfigurationInvalid) as raised:
        read_environment(environ)
    return raised.value.problems


def test_defaults_of_an_empty_environment() -> None:
    environment = read_environment({})
    assert environment.mode == "development"
    assert environment.api_url == "https://api.telegram.org"
    assert environment.updates == "polling"
    assert (environment.bind, environment.port, environment.sandbox_port) == ("127.0.0.1", 8000, 8081)
    assert environment.allowed_hosts == ("127.0.0.1", "localhost", "[::1]")
    assert environment.data_dir == CHECKOUT / ".neko"
    assert environment.default_language == "fa"
    assert environment.bot_id is None
    assert not environment.setup_mode


def test_development_names_what_is_missing_but_never_enters_setup_mode() -> None:
    environment = read_environment({})
    assert environment.missing == tuple(name for name in WHOLE if name != "TELEGRAM_WEBHOOK_SECRET")
    assert not environment.setup_mode


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_production_enters_setup_mode_for_each_missing_name(name: str) -> None:
    environ = {**WHOLE, "NEKO_ENV": "production", "PUBLIC_URL": "https://bot.example"}
    assert not read_environment(environ).setup_mode
    del environ[name]
    environment = read_environment(environ)
    assert environment.missing == (name,)
    assert environment.setup_mode


def test_polling_needs_no_webhook_secret() -> None:
    environ = {name: value for name, value in WHOLE.items() if name != "TELEGRAM_WEBHOOK_SECRET"}
    assert read_environment(environ).missing == ()
    assert read_environment({**environ, "NEKO_UPDATES": "webhook"}).missing == ("TELEGRAM_WEBHOOK_SECRET",)


def test_a_public_url_means_webhook_unless_said_otherwise() -> None:
    assert read_environment({"PUBLIC_URL": "https://bot.example"}).updates == "webhook"
    assert (
        read_environment({"PUBLIC_URL": "https://bot.example", "NEKO_UPDATES": "polling"}).updates
        == "polling"
    )
    assert read_environment({"NEKO_UPDATES": "webhook"}).updates == "webhook"


def test_the_bot_id_comes_from_the_token() -> None:
    assert read_environment(WHOLE).bot_id == 4_242_424_242


def test_an_empty_value_counts_as_not_given() -> None:
    assert read_environment(dict.fromkeys(WHOLE, " ")).missing == read_environment({}).missing


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NEKO_ENV", "live"),
        ("NEKO_ENV", "Production"),
        ("NEKO_UPDATES", "push"),
        ("NEKO_DEFAULT_LANGUAGE", "de"),
        ("NEKO_PORT", "0"),
        ("NEKO_PORT", "65536"),
        ("NEKO_PORT", "8000.0"),
        ("NEKO_PORT", "٨٠٠٠"),
        ("NEKO_PORT", "1_000"),
        ("NEKO_SANDBOX_PORT", "-1"),
        ("NEKO_BIND", "example.org"),
        ("NEKO_BIND", "127.0.0.256"),
        ("NEKO_OPERATOR_CHAT", "@channel"),
        ("NEKO_ALLOWED_HOSTS", "bot.example:8000"),
        ("NEKO_ALLOWED_HOSTS", "https://bot.example"),
        ("TELEGRAM_BOT_TOKEN", "no-token-at-all"),
        ("TELEGRAM_BOT_TOKEN", "12345:short"),
        ("TELEGRAM_BOT_TOKEN", TOKEN + "/../x"),
        ("TELEGRAM_API_URL", "api.telegram.org"),
        ("TELEGRAM_API_URL", "ftp://api.telegram.org"),
        ("TELEGRAM_API_URL", "https://user:word@api.telegram.org"),
        ("TELEGRAM_WEBHOOK_SECRET", "a" * 257),
        ("TELEGRAM_WEBHOOK_SECRET", "with blank"),
        ("TELEGRAM_WEBHOOK_SECRET", "ümlaut"),
        ("PUBLIC_URL", "http://bot.example"),
        ("PUBLIC_URL", "https://bot.example/path"),
        ("PUBLIC_URL", "https://bot.example?query=1"),
        ("PUBLIC_URL", "https://"),
        ("PUBLIC_URL", "https://bot.example:99999"),
        ("PUBLIC_URL", "https://bot.exa mple"),
        ("NEKO_SOURCE_URL", "javascript:alert(1)"),
        ("DATABASE_URL", "mysql://root:hunter2@db/neko"),
        ("REDIS_URL", "amqp://guest:hunter3@mq"),
        ("REDIS_URL", "redis://:hunter4@:99999/0"),
        ("NEKO_CONTACT", "two\nlines"),
    ],
)
def test_a_malformed_value_is_named_and_not_repeated(name: str, value: str) -> None:
    (problem,) = problems_of({name: value})
    assert problem.startswith(f"{name}: ")
    assert value not in problem


def test_every_malformed_value_is_named_at_once() -> None:
    problems = problems_of({"NEKO_PORT": "x", "NEKO_ENV": "y", "PUBLIC_URL": "z", "TELEGRAM_BOT_TOKEN": "0"})
    assert {problem.partition(":")[0] for problem in problems} == {
        "NEKO_PORT",
        "NEKO_ENV",
        "PUBLIC_URL",
        "TELEGRAM_BOT_TOKEN",
    }


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_plain_http_is_for_loopback_in_development(host: str) -> None:
    url = f"http://{host}:8000"
    assert read_environment({"PUBLIC_URL": url + "/"}).public_url == url
    assert problems_of({"PUBLIC_URL": url, "NEKO_ENV": "production"})[0].startswith("PUBLIC_URL: ")


def test_the_host_of_the_public_url_is_served_with_loopback() -> None:
    environment = read_environment({"PUBLIC_URL": "https://bot.example:8443"})
    assert environment.allowed_hosts == ("127.0.0.1", "localhost", "[::1]", "bot.example")


def test_named_hosts_take_the_place_of_the_public_url_and_keep_loopback() -> None:
    environ = {"PUBLIC_URL": "https://bot.example", "NEKO_ALLOWED_HOSTS": "a.example, b.example"}
    assert read_environment(environ).allowed_hosts[3:] == ("a.example", "b.example")


def test_the_data_folder_is_relative_to_the_checkout(tmp_path: Path) -> None:
    assert read_environment({"NEKO_DATA_DIR": "elsewhere"}).data_dir == CHECKOUT / "elsewhere"
    assert read_environment({"NEKO_DATA_DIR": str(tmp_path)}).data_dir == tmp_path


class TestSecretFiles:
    @pytest.mark.parametrize("name", SECRET_NAMES)
    def test_a_secret_may_come_from_a_file(self, name: str, tmp_path: Path) -> None:
        file = tmp_path / "secret"
        file.write_text(WHOLE[name] + "\n")
        environ = {other: value for other, value in WHOLE.items() if other != name}
        assert read_environment({**environ, f"{name}_FILE": str(file)}) == read_environment(WHOLE)

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "nowhere"
        (problem,) = problems_of({"NEKO_HMAC_PEPPER_FILE": str(path)})
        assert problem == f"NEKO_HMAC_PEPPER_FILE: {path}: No such file or directory"

    @pytest.mark.parametrize("content", [b"", b"\n", b"first\nsecond", b"\xff\xfe", b"x" * 70_000])
    def test_a_file_that_holds_no_single_line_is_refused_without_its_content(
        self, content: bytes, tmp_path: Path
    ) -> None:
        file = tmp_path / "secret"
        file.write_bytes(content)
        (problem,) = problems_of({"NEKO_HMAC_PEPPER_FILE": str(file)})
        assert problem.startswith(f"NEKO_HMAC_PEPPER_FILE: {file}: ")
        assert "first" not in problem

    def test_value_and_file_together_are_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "secret"
        file.write_text("p" * 43)
        (problem,) = problems_of({"NEKO_HMAC_PEPPER": "p" * 43, "NEKO_HMAC_PEPPER_FILE": str(file)})
        assert problem == "NEKO_HMAC_PEPPER: is given twice, also as NEKO_HMAC_PEPPER_FILE"

    def test_a_malformed_secret_from_a_file_is_not_repeated(self, tmp_path: Path) -> None:
        file = tmp_path / "secret"
        file.write_text("blank in it")
        (problem,) = problems_of({"TELEGRAM_WEBHOOK_SECRET_FILE": str(file)})
        assert "blank in it" not in problem


def test_no_secret_is_in_the_repr() -> None:
    environment = read_environment({**WHOLE, "NEKO_OPERATOR_CHAT": "-1001234567890"})
    assert environment.operator_chat == -1_001_234_567_890
    shown = repr(environment)
    for secret in (*WHOLE.values(), "1001234567890"):
        assert secret not in shown


def test_the_environment_cannot_be_changed() -> None:
    environment = read_environment({})
    with pytest.raises(AttributeError):
        environment.port = 1  # type: ignore[misc]
    assert isinstance(environment, Environment)


def test_the_module_needs_the_standard_library_only() -> None:
    # The launcher reads it before anything is installed: -S leaves site-packages out, -I the environment.
    code = f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); import nekonymous_site.environment"
    finished = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (finished.returncode, finished.stderr) == (0, "")
