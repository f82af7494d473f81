"""One database serves one bot with one set of keys; anything else is refused before it does harm."""

from dataclasses import replace

import pytest
from django.conf import settings as settings_now
from pytest_django.fixtures import Settings

from nekonymous_site import system_checks
from nekonymous_site.crypto import process_keys
from nekonymous_site.pipeline import durable_transaction
from outbox.services import record_bot

pytestmark = pytest.mark.django_db
ASKED = ["default"]
KEY = "dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z_0Me0"  # made up for this test
OTHER_KEY = "P8TM_nRYcOLA2Z9x8w_wZWyN7dQcwdfT03aw2-aF4vM"


def test_the_bot_that_the_database_serves(settings: Settings) -> None:
    settings.NEKO = replace(settings.NEKO, bot_id=17)
    assert system_checks.check_database_serves_this_bot(databases=ASKED) == []
    with durable_transaction() as pipeline:
        record_bot(pipeline, bot_id=17, username="seventeen_bot")
    assert system_checks.check_database_serves_this_bot(databases=ASKED) == []
    settings.NEKO = replace(settings.NEKO, bot_id=18)
    (error,) = system_checks.check_database_serves_this_bot(databases=ASKED)
    assert error.id == "neko.E013"


def test_the_keys_that_the_database_was_begun_with() -> None:
    assert system_checks.check_keys_fit_database(databases=ASKED) == []
    with durable_transaction() as pipeline:
        record_bot(pipeline, bot_id=17, username="seventeen_bot")
    assert system_checks.check_keys_fit_database(databases=ASKED) == []
    master_keys, pepper = settings_now.NEKO.master_keys, settings_now.NEKO.hmac_pepper
    assert master_keys is not None
    assert pepper is not None
    other_kid = "7:" + master_keys.partition(":")[2]
    for keys in ((master_keys, OTHER_KEY), (f"1:{KEY}", pepper), (other_kid, pepper)):
        process_keys.configure(master_keys=keys[0], pepper=keys[1])
        try:
            (error,) = system_checks.check_keys_fit_database(databases=ASKED)
        finally:
            process_keys.configure(master_keys=master_keys, pepper=pepper)
        assert error.id == "neko.E014"
    process_keys.configure(master_keys=f"9:{KEY},{master_keys}", pepper=pepper)
    rotated = system_checks.check_keys_fit_database(databases=ASKED)
    process_keys.configure(master_keys=master_keys, pepper=pepper)
    assert rotated == []
