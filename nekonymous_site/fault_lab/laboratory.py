"""Sets the laboratory up: sandbox, broker and the product's processes, until the block ends."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.embedded_servers import EmbeddedServers
from nekonymous_site.embedded.one_shot import run_to_end
from nekonymous_site.embedded.ports import find_free_port
from nekonymous_site.embedded.process_environment import compose_environment
from nekonymous_site.embedded.product_processes import manage_plan, sandbox_charge
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.supervisor import Supervisor
from nekonymous_site.embedded.web_probe import status_of
from nekonymous_site.fault_lab.crew import Crew
from nekonymous_site.fault_lab.lab import Lab
from nekonymous_site.fault_lab.lab_process import LabProcess
from nekonymous_site.fault_lab.lab_servers import LabServers
from nekonymous_site.sandbox.people import Sandbox

SETUP_SECONDS: Final = 60
# Telegram's own waits between deliveries grow to two minutes; nobody learns anything from sitting them out.
RETRY_CAP_SECONDS: Final = "2"


@contextmanager
def open_lab(
    environ: Mapping[str, str], *, folder: Path, cluster: Path, rounds: int, seed: int
) -> Iterator[Lab]:
    """Run everything on this database, with everything else of the lab's own, until the block ends."""
    own = DataFolder(root=folder)
    own.prepare()
    stop = StopRequest()
    with ExitStack() as at_end:
        redis_url, supervisor = _start_valkey(own, stop=stop, at_end=at_end)
        places = {
            "REDIS_URL": redis_url,
            "NEKO_DATA_DIR": str(folder),
            "NEKO_PORT": str(find_free_port()),
            "NEKO_UPDATES": "webhook",
        }
        with_sandbox, sandbox = _start_sandbox({**environ, **places}, folder=own, at_end=at_end)
        crew = Crew.plan(with_sandbox, folder=folder)
        at_end.callback(crew.kill_all)
        crew.start()
        _register_webhook(crew, folder=own, stop=stop)
        yield Lab(
            crew=crew,
            servers=LabServers(
                supervisor=supervisor,
                redis_url=redis_url,
                database_url=with_sandbox["DATABASE_URL"],
                cluster=cluster,
            ),
            sandbox=sandbox,
            database_url=with_sandbox["DATABASE_URL"],
            rounds=rounds,
            chance=Random(seed),  # noqa: S311 - chance, not a secret
        )


def _start_valkey(folder: DataFolder, *, stop: StopRequest, at_end: ExitStack) -> tuple[str, Supervisor]:
    supervisor = Supervisor(logs=folder.logs, stop=stop)
    servers = EmbeddedServers(folder=folder, stop=stop)
    at_end.callback(servers.close)
    at_end.callback(supervisor.stop_all)
    return servers.start_valkey(supervisor), supervisor


def _start_sandbox(
    environ: Mapping[str, str], *, folder: DataFolder, at_end: ExitStack
) -> tuple[dict[str, str], Sandbox]:
    port = find_free_port()
    address = f"http://127.0.0.1:{port}"
    complete = {**environ, "NEKO_SANDBOX_PORT": str(port), "TELEGRAM_API_URL": address}
    plan = sandbox_charge(compose_environment(complete, keys={}, embedded={})).plan
    process = LabProcess(
        plan=replace(plan, argv=(*plan.argv, "--webhook-retry-cap-seconds", RETRY_CAP_SECONDS)),
        log_path=folder.logs / "sandbox.log",
        is_ready=lambda _pid: status_of(address, "/") is not None,
    )
    at_end.callback(process.kill)
    process.start()
    process.await_ready()
    return complete, Sandbox(address)


def _register_webhook(crew: Crew, *, folder: DataFolder, stop: StopRequest) -> None:
    plan = manage_plan(
        "webhook", "setwebhook", "--url", f"{crew.web_url}/webhook/tg", environ=crew.product.environ
    )
    run_to_end(plan, log_path=folder.logs / "webhook.log", seconds=SETUP_SECONDS, stop=stop)
