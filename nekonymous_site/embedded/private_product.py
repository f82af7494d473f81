"""The product's own processes beside a command that tries them out, exactly as `up` starts them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto

from nekonymous_site.embedded.console import say
from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.one_shot import run_to_end
from nekonymous_site.embedded.ports import find_free_port
from nekonymous_site.embedded.process_environment import ProductEnvironment, compose_environment
from nekonymous_site.embedded.product_processes import (
    local_address,
    manage_plan,
    sandbox_charge,
    web_charge,
    worker_charges,
)
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.supervisor import Supervisor
from nekonymous_site.embedded.web_probe import status_of

SANDBOX_READY_SECONDS = 20
WEB_READY_SECONDS = 60
WEBHOOK_SECONDS = 60


class Part(Enum):
    """What may run beside a command."""

    SANDBOX = auto()
    WEB = auto()
    # Worker, beat and sweeper; with the sandbox, which is told of the webhook.
    WORKERS = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateProduct:
    """The environment of a command beside the parts, and who starts them again when they end."""

    environ: Mapping[str, str] = field(repr=False)
    supervisor: Supervisor


@contextmanager
def private_product(
    environ: Mapping[str, str], *, folder: DataFolder, parts: frozenset[Part], stop: StopRequest
) -> Iterator[PrivateProduct]:
    """Run these parts on free ports until the block ends.

    Logs lie in the folder. Raises LauncherFailure with the end of its output if a part does not come up.
    """
    product = _with_ports(environ, has_sandbox=Part.SANDBOX in parts)
    supervisor = Supervisor(logs=folder.logs, stop=stop)
    if parts:
        say(f"== {', '.join(part.name.lower() for part in Part if part in parts)} for this run")
    try:
        if Part.SANDBOX in parts:
            _start_sandbox(product, supervisor=supervisor)
        if Part.WEB in parts:
            _start_web(product, supervisor=supervisor)
        if Part.WORKERS in parts:
            _register_webhook(product, folder=folder, stop=stop)
            for charge in worker_charges(product):
                supervisor.start(charge)
        yield PrivateProduct(environ=product.environ, supervisor=supervisor)
    finally:
        supervisor.stop_all()


def _with_ports(environ: Mapping[str, str], *, has_sandbox: bool) -> ProductEnvironment:
    sandbox_port = find_free_port()
    places = {
        "NEKO_PORT": str(find_free_port()),
        "NEKO_SANDBOX_PORT": str(sandbox_port),
        "NEKO_UPDATES": "webhook",
    }
    if has_sandbox:
        places["TELEGRAM_API_URL"] = f"http://127.0.0.1:{sandbox_port}"
    return compose_environment({**environ, **places}, keys={}, embedded={})


def _start_sandbox(product: ProductEnvironment, *, supervisor: Supervisor) -> None:
    address = f"http://127.0.0.1:{product.settings.sandbox_port}"
    supervisor.start(sandbox_charge(product))
    supervisor.wait_ready(
        "sandbox", lambda _pid: status_of(address, "/") is not None, seconds=SANDBOX_READY_SECONDS
    )


def _start_web(product: ProductEnvironment, *, supervisor: Supervisor) -> None:
    address = local_address(product.settings)
    supervisor.start(web_charge(product))
    supervisor.wait_ready("web", lambda _pid: status_of(address, "/ready") == 200, seconds=WEB_READY_SECONDS)


def _register_webhook(product: ProductEnvironment, *, folder: DataFolder, stop: StopRequest) -> None:
    plan = manage_plan(
        "webhook",
        *("setwebhook", "--url", f"{local_address(product.settings)}/webhook/tg"),
        environ=product.environ,
    )
    run_to_end(plan, log_path=folder.logs / "webhook.log", seconds=WEBHOOK_SECONDS, stop=stop)
