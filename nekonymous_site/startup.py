"""What every process of the product does before it starts its work."""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

import django
from django.conf import settings
from django.core import checks

from nekonymous_site.environment import ConfigurationInvalid
from nekonymous_site.system_checks import NEKO_TAG

# sysexits.h: EX_CONFIG. A supervisor can tell it from a crash, as no restart will help.
EXIT_WRONG_CONFIGURATION: Final = 78
_PR_SET_PDEATHSIG: Final = 1


def prepare_process() -> None:
    """Load Django and refuse to go on with a wrong configuration; exits 78 then, with lines on stderr.

    A production process that only lacks names goes on into setup mode.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "nekonymous_site.settings")
    try:
        django.setup()
    except ConfigurationInvalid as invalid:
        _refuse(invalid.problems)
    if not settings.NEKO.setup_mode:
        refuse_wrong_configuration()


def refuse_wrong_configuration() -> None:
    """Run the checks of this product, the database's included; exits 78 with ids and hints if one fails.

    A database that cannot be reached is no wrong configuration: its checks are silent then, /ready tells.
    """
    messages = checks.run_checks(tags=[NEKO_TAG], include_deployment_checks=True, databases=["default"])
    serious = [message for message in messages if message.is_serious()]
    if serious:
        _refuse([_in_one_paragraph(message) for message in serious])


def _in_one_paragraph(message: checks.CheckMessage) -> str:
    hint = f"\n    hint: {message.hint}" if message.hint else ""
    return f"{message.id}: {message.msg}{hint}"


def _refuse(lines: Sequence[str]) -> NoReturn:
    sys.stderr.write("\n".join(("this configuration cannot be used:", *lines)) + "\n")
    raise SystemExit(EXIT_WRONG_CONFIGURATION)


def end_with_parent() -> None:
    """Ask the kernel for SIGTERM when the parent dies: a killed web server must leave no worker that answers.

    Linux only; elsewhere it does nothing.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
