"""What the launcher hands to the product's processes."""

from pathlib import Path

import pytest

from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.keys_file import keep_keys, make_keys, read_keys
from nekonymous_site.embedded.process_environment import KEY_NAMES, compose_environment
from nekonymous_site.embedded.product_processes import webhook_charge, worker_charges

EMBEDDED = {"DATABASE_URL": "postgresql://neko@/neko?host=/run", "REDIS_URL": "unix:///run/valkey.sock?db=0"}
TOKEN = "1234567890:given-token-of-a-real-bot-0123456789"


def test_without_a_token_the_sandbox_stands_in() -> None:
    keys = make_keys()
    product = compose_environment({"NEKO_SANDBOX_PORT": "9081"}, keys=keys, embedded=EMBEDDED)
    assert product.sandbox
    assert product.environ["TELEGRAM_BOT_TOKEN"] == keys["NEKO_SANDBOX_TOKEN"]
    assert product.environ["TELEGRAM_API_URL"] == "http://127.0.0.1:9081"
    assert product.settings.updates == "webhook"
    assert product.settings.missing == ()
    assert not product.settings.setup_mode


def test_polling_can_be_asked_for_in_the_sandbox() -> None:
    product = compose_environment({"NEKO_UPDATES": "polling"}, keys=make_keys(), embedded=EMBEDDED)
    assert webhook_charge(product) is None
    assert "poller" in [charge.plan.name for charge in worker_charges(product)]


def test_given_names_win_over_kept_keys_and_embedded_servers() -> None:
    given = {"NEKO_HMAC_PEPPER": "given", "DATABASE_URL": "postgresql://elsewhere/db"}
    product = compose_environment(given, keys=make_keys(), embedded=EMBEDDED)
    assert product.environ.items() >= given.items()
    assert product.settings.redis_url == EMBEDDED["REDIS_URL"]


def test_a_secret_given_as_a_file_wins_too(tmp_path: Path) -> None:
    (tmp_path / "pepper").write_text("from-a-file\n")
    given = {"NEKO_HMAC_PEPPER_FILE": str(tmp_path / "pepper")}
    product = compose_environment(given, keys=make_keys(), embedded=EMBEDDED)
    assert product.settings.hmac_pepper == "from-a-file"


def test_with_a_token_and_no_public_address_updates_are_polled_from_telegram() -> None:
    product = compose_environment({"TELEGRAM_BOT_TOKEN": TOKEN}, keys=make_keys(), embedded=EMBEDDED)
    assert not product.sandbox
    assert product.settings.updates == "polling"
    assert product.settings.api_url == "https://api.telegram.org"


def test_in_production_nothing_is_made_up_even_if_keys_lie_there() -> None:
    product = compose_environment({"NEKO_ENV": "production"}, keys=make_keys(), embedded=EMBEDDED)
    assert not product.sandbox
    assert not any(name in product.environ for name in (*KEY_NAMES, "TELEGRAM_BOT_TOKEN"))
    assert set(product.settings.missing) >= {"TELEGRAM_BOT_TOKEN", "NEKO_MASTER_KEYS", "NEKO_HMAC_PEPPER"}
    assert product.settings.setup_mode


def test_foreign_options_of_the_programs_are_dropped() -> None:
    foreign = {"GRANIAN_PORT": "1", "CELERY_APP": "x", "DJANGO_SETTINGS_MODULE": "evil", "PYTHONHOME": "/x"}
    product = compose_environment(foreign | {"HOME": "/home/somebody"}, keys={}, embedded={})
    assert product.environ["DJANGO_SETTINGS_MODULE"] == "nekonymous_site.settings"
    assert product.environ["HOME"] == "/home/somebody"
    assert not product.environ.keys() & {"GRANIAN_PORT", "CELERY_APP", "PYTHONHOME"}


def test_nothing_secret_is_shared_with_other_shells() -> None:
    keys = make_keys()
    given = {"NEKO_PORT": "9000"}
    shared = compose_environment(given, keys=keys, embedded=EMBEDDED).shared(embedded=EMBEDDED)
    assert shared["NEKO_PORT"] == "9000"
    assert shared["DATABASE_URL"] == EMBEDDED["DATABASE_URL"]
    assert not set(shared.values()) & set(keys.values())


def test_a_given_address_is_shared_in_development_only() -> None:
    given = {"DATABASE_URL": "postgresql://neko:password@elsewhere/db"}
    developing = compose_environment(given, keys=make_keys(), embedded={})
    assert developing.shared(embedded={})["DATABASE_URL"] == given["DATABASE_URL"]
    producing = compose_environment(given | {"NEKO_ENV": "production"}, keys={}, embedded={})
    assert "DATABASE_URL" not in producing.shared(embedded={})


def test_everything_malformed_is_named_at_once() -> None:
    with pytest.raises(LauncherFailure) as failure:
        compose_environment({"NEKO_PORT": "x", "NEKO_ENV": "staging"}, keys={}, embedded={})
    assert [line.partition(":")[0] for line in failure.value.details] == ["NEKO_ENV", "NEKO_PORT"]


def test_keys_are_made_once_kept_privately_and_completed(tmp_path: Path) -> None:
    path = tmp_path / "keys.env"
    kept = keep_keys(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert set(kept) >= set(KEY_NAMES)
    assert len(set(kept.values())) == len(kept)
    assert keep_keys(path) == kept == read_keys(path)
    path.write_text(path.read_text().replace(f"NEKO_HMAC_PEPPER={kept['NEKO_HMAC_PEPPER']}\n", ""))
    completed = keep_keys(path)
    assert completed["NEKO_HMAC_PEPPER"] != kept["NEKO_HMAC_PEPPER"]
    assert completed["NEKO_MASTER_KEYS"] == kept["NEKO_MASTER_KEYS"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["keys.env"]
