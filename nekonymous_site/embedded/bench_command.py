"""`./neko bench`: a benchmark on servers of its own, as durable as those of `up`."""

from collections.abc import Mapping, Sequence

from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.one_shot import run_on_terminal
from nekonymous_site.embedded.private_servers import migrate, private_servers, throwaway_environ
from nekonymous_site.embedded.product_processes import manage_plan
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.temporary_places import held_folder

FOLDER_PREFIX = "neko-bench-"
BENCH_SECONDS = 3600


def run_bench(arguments: Sequence[str], *, environ: Mapping[str, str]) -> int:
    """Run the management command `bench` on an empty database and return its exit code."""
    stop = StopRequest()
    stop.install()
    with held_folder(FOLDER_PREFIX) as root:
        folder = DataFolder(root=root)
        folder.prepare()
        with private_servers(folder, stop=stop, for_tests=False) as servers:
            bench_environ = throwaway_environ(environ, folder=folder, servers=servers)
            migrate(bench_environ, folder=folder, stop=stop)
            plan = manage_plan("bench", "bench", *arguments, environ=bench_environ)
            return run_on_terminal(plan, seconds=BENCH_SECONDS, stop=stop)
