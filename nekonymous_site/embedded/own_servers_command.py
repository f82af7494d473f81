"""Commands that try the product out: each on servers of its own, as durable as those of `up`.

Whatever runs here is neither used nor touched, and nothing is left of a run but what it has printed.
"""

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, redirect_stdout
from typing import Final

from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.one_shot import run_on_terminal
from nekonymous_site.embedded.private_product import Part, private_product
from nekonymous_site.embedded.private_servers import migrate, private_servers, throwaway_environ
from nekonymous_site.embedded.product_processes import manage_plan
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.temporary_places import held_folder

FOLDER_PREFIX = "neko-own-"
LONGEST_RUN_SECONDS = 4 * 3600

# What runs beside each command.
COMMANDS: Final[Mapping[str, frozenset[Part]]] = {
    "bench": frozenset(),
    "attack": frozenset({Part.SANDBOX}),
    "canaries": frozenset({Part.SANDBOX, Part.WEB, Part.WORKERS}),
    # It runs everything else itself, to break it.
    "faults": frozenset(),
}
# First arguments with which a command is about what runs here instead.
_ABOUT_WHAT_RUNS: Final = frozenset({("canaries", "search")})
# What runs besides for a first argument.
_FURTHER_PARTS: Final[Mapping[tuple[str, ...], frozenset[Part]]] = {
    ("bench", "accept"): frozenset({Part.WEB}),
}


def wants_own_servers(command: str, arguments: Sequence[str]) -> bool:
    """Whether this command runs on servers of its own, and not in the environment of what runs here."""
    is_about_what_runs = (command, *arguments[:1]) in _ABOUT_WHAT_RUNS
    return command in COMMANDS and not is_about_what_runs and "--help" not in arguments


def run_on_own_servers(command: str, arguments: Sequence[str], *, environ: Mapping[str, str]) -> int:
    """Run a management command on an empty database, with the parts it needs, and return its exit code."""
    stop = StopRequest()
    stop.install()
    with ExitStack() as at_end:
        if "--json" in arguments:
            # What the command prints is all that is read there.
            at_end.enter_context(redirect_stdout(sys.stderr))
        folder = DataFolder(root=at_end.enter_context(held_folder(FOLDER_PREFIX)))
        folder.prepare()
        servers = at_end.enter_context(private_servers(folder, stop=stop, for_tests=False))
        own_environ = throwaway_environ(environ, folder=folder, servers=servers)
        migrate(own_environ, folder=folder, stop=stop)
        parts = COMMANDS[command] | _FURTHER_PARTS.get((command, *arguments[:1]), frozenset())
        beside = at_end.enter_context(private_product(own_environ, folder=folder, parts=parts, stop=stop))
        plan = manage_plan(command, command, *arguments, environ=beside.environ)

        def look_after_all() -> None:
            servers.supervisor.look_after()
            beside.supervisor.look_after()

        return run_on_terminal(plan, seconds=LONGEST_RUN_SECONDS, stop=stop, meanwhile=look_after_all)
