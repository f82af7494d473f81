"""`./neko test`: private servers, then every check, then pytest."""

import secrets
import sys
from collections.abc import Mapping, Sequence

from nekonymous_site.embedded.browser_setup import ensure_browser, reaches_browser_tests
from nekonymous_site.embedded.child_process import ChildPlan
from nekonymous_site.embedded.console import say
from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.one_shot import run_on_terminal
from nekonymous_site.embedded.postgres_bootstrap import TEST_TEMPLATE
from nekonymous_site.embedded.private_servers import migrate, private_servers, throwaway_environ
from nekonymous_site.embedded.static_checks import code_checks, run_checks
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.temporary_places import held_folder

FOLDER_PREFIX = "neko-test-"
PYTEST_SECONDS = 3600


def run_suite(pytest_arguments: Sequence[str], *, environ: Mapping[str, str]) -> int:
    """Run checks and tests and return the exit code of what failed first, or of pytest.

    With arguments only pytest runs, with these. Servers and files are private and gone at the end.
    """
    stop = StopRequest()
    stop.install()
    with held_folder(FOLDER_PREFIX) as root:
        folder = DataFolder(root=root)
        folder.prepare()
        with private_servers(folder, stop=stop, for_tests=True) as servers:
            suite_environ = throwaway_environ(environ, folder=folder, servers=servers) | {
                "NEKO_TEST_TEMPLATE": TEST_TEMPLATE
            }
            if not pytest_arguments:
                _run_code_checks(suite_environ, folder=folder, stop=stop)
            if reaches_browser_tests(pytest_arguments):
                ensure_browser(suite_environ, logs=folder.logs, stop=stop)
            say("== Migrations, once, into the database every test database is copied from")
            at_template = suite_environ | {"DATABASE_URL": servers.template_url}
            migrate(at_template, folder=folder, stop=stop)
            say("== Tests (pytest)")
            pytest = (sys.executable, "-m", "pytest", *pytest_arguments)
            plan = ChildPlan(name="pytest", argv=pytest, environ=suite_environ)
            return run_on_terminal(plan, seconds=PYTEST_SECONDS, stop=stop)


def _production_environ(environ: Mapping[str, str]) -> dict[str, str]:
    return dict(environ) | {
        "NEKO_ENV": "production",
        "PUBLIC_URL": "https://neko.example",
        "TELEGRAM_BOT_TOKEN": f"1234567890:{secrets.token_urlsafe(26)}",
    }


def _run_code_checks(environ: Mapping[str, str], *, folder: DataFolder, stop: StopRequest) -> None:
    say("== Checks that read the code (the first time they take a minute)")
    checks = code_checks(environ, production=_production_environ(environ))
    run_checks(checks, logs=folder.logs, stop=stop)
