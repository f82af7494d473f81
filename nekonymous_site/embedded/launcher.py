"""What ./neko does once its virtual environment stands: `up`, `test`, or a management command.

Some management commands get servers of their own.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from nekonymous_site.embedded.console import say, say_failure
from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.failures import LauncherFailure, StopRequested, describe_system_error
from nekonymous_site.embedded.keys_file import SANDBOX_TOKEN, read_keys
from nekonymous_site.embedded.own_servers_command import COMMANDS, run_on_own_servers, wants_own_servers
from nekonymous_site.embedded.process_environment import compose_environment, read_settings
from nekonymous_site.embedded.runtime_file import read_running
from nekonymous_site.embedded.suite_command import run_suite
from nekonymous_site.embedded.up_command import run_up
from nekonymous_site.environment import CHECKOUT

STOPPED_EXIT_CODE = 130


def main(arguments: Sequence[str]) -> int:
    """Run one command and return the exit code; failures are told in one line."""
    command, *rest = arguments
    try:
        if command in ("up", "test", *COMMANDS):
            # Settings of the tools are found from here, and a folder that is removed later does no harm.
            os.chdir(CHECKOUT)
        if command == "up":
            _refuse_arguments(rest)
            return run_up(os.environ)
        if command == "test":
            return run_suite(rest, environ=os.environ)
        if wants_own_servers(command, rest):
            return run_on_own_servers(command, rest, environ=os.environ)
        become_management_command(arguments, environ=os.environ)
    except LauncherFailure as failure:
        say_failure(failure)
        return failure.exit_code
    except OSError as error:
        say_failure(describe_system_error(error))
        return 1
    except (StopRequested, KeyboardInterrupt):
        say("Stopped.")
        return STOPPED_EXIT_CODE


def become_management_command(arguments: Sequence[str], *, environ: Mapping[str, str]) -> NoReturn:
    """Turn this process into manage.py, in the environment of what runs here, if anything does.

    Without a running launcher no address is made up; commands that need no database work all the same.
    """
    settings = read_settings(environ)
    folder = DataFolder(root=settings.data_dir)
    running = read_running(folder.runtime_file)
    shared = running.environ if running else {}
    keys = read_keys(folder.keys_file)
    if running and not running.sandbox:
        # What runs here talks to a real bot, whose token only the person who started it can give.
        keys.pop(SANDBOX_TOKEN, None)
    product = compose_environment({**shared, **environ}, keys=keys, embedded={})
    manage = str(CHECKOUT / "manage.py")
    os.execve(sys.executable, [sys.executable, manage, *arguments], dict(product.environ))  # noqa: S606 - no shell wanted


def _refuse_arguments(rest: Sequence[str]) -> None:
    if rest:
        raise LauncherFailure("up takes no arguments: everything is set in the environment", exit_code=2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
