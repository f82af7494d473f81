"""`./neko bench`: a benchmark on servers of its own, as durable as those of `up`."""

from collections.abc import Mapping, Sequence

from nekonymous_site.embedded.child_process import start_child
from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.private_servers import migrate, private_servers, throwaway_environ
from nekonymous_site.embedded.product_processes import manage_plan
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.temporary_places import held_folder
from nekonymous_site.embedded.waiting import wait_until

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
            child = start_child(
                manage_plan("bench", "bench", *arguments, environ=bench_environ), log_path=None
            )
            try:
                if not wait_until(lambda: child.exit_code() is not None, seconds=BENCH_SECONDS, stop=stop):
                    raise LauncherFailure(f"the benchmark took more than {BENCH_SECONDS} s")
            finally:
                child.kill_group()
            return child.exit_code() or 0
