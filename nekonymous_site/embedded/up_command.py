"""`./neko up`: everything set up and running until somebody asks to stop."""

import os
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress

from nekonymous_site.embedded.console import say
from nekonymous_site.embedded.data_folder import DataFolder, DataLock
from nekonymous_site.embedded.embedded_servers import EmbeddedServers
from nekonymous_site.embedded.failures import LauncherFailure, StopRequested
from nekonymous_site.embedded.keys_file import keep_keys, missing_sealing_keys
from nekonymous_site.embedded.one_shot import run_to_end
from nekonymous_site.embedded.ports import require_free_port
from nekonymous_site.embedded.process_environment import (
    SERVICE_NAMES,
    ProductEnvironment,
    compose_environment,
    is_given,
    read_settings,
)
from nekonymous_site.embedded.process_identity import ProcessIdentity
from nekonymous_site.embedded.product_processes import (
    local_address,
    manage_plan,
    sandbox_charge,
    web_charge,
    webhook_charge,
    worker_charges,
)
from nekonymous_site.embedded.runtime_file import Runtime, end_leftovers, write_runtime
from nekonymous_site.embedded.status_screen import StatusScreen
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.supervisor import Supervisor
from nekonymous_site.embedded.web_probe import json_of, status_of

PRIVATE_UMASK = 0o077
MIGRATE_SECONDS = 900
CHECK_SECONDS = 60
WEB_READY_SECONDS = 60
SANDBOX_READY_SECONDS = 20
WALK_SECONDS = 30


def run_up(environ: Mapping[str, str]) -> int:
    """Run everything until Ctrl-C or SIGTERM; 0 if it was asked to stop. Leaves no process behind."""
    stop = StopRequest()
    stop.install()
    os.umask(PRIVATE_UMASK)
    settings = read_settings(environ)
    folder = DataFolder(root=settings.data_dir)
    folder.prepare()
    with DataLock(folder=folder, address=local_address(settings)), suppress(StopRequested):
        _Up(environ=environ, folder=folder, stop=stop).run()
    say("Everything is stopped.")
    return 0


class _Up:
    """One run of `up`, with the data folder locked."""

    def __init__(self, *, environ: Mapping[str, str], folder: DataFolder, stop: StopRequest) -> None:
        self._environ = environ
        self._folder = folder
        self._stop = stop
        self._shared: dict[str, str] = {}
        self._sandbox = False
        self._ready_seconds = 0.0
        self._supervisor = Supervisor(logs=folder.logs, stop=stop, changed=self._write_runtime)
        self._servers: EmbeddedServers | None = None

    def run(self) -> None:
        settings = read_settings(self._environ)
        end_leftovers(self._folder.runtime_file, stop=self._stop)
        keys = self._keep_keys() if settings.mode == "development" else {}
        product = compose_environment(self._environ, keys=keys, embedded={})
        _require_free_ports(product)
        with ExitStack() as at_end:
            at_end.callback(self._stop_everything)
            if product.missing_names:
                self._run_in_setup_mode(product)
            else:
                self._run_product(keys)
            self._supervisor.run_until_stopped()

    def _keep_keys(self) -> Mapping[str, str]:
        """Keys are made with the data and never behind its back: others could open nothing of it."""
        missing = [
            name for name in missing_sealing_keys(self._folder.keys_file) if not is_given(name, self._environ)
        ]
        if missing and (self._folder.cluster / "PG_VERSION").exists():
            raise LauncherFailure(
                f"the data in {self._folder.root} was made with keys that are not there any more",
                details=(
                    f"{self._folder.keys_file} lacks {', '.join(missing)}: put the former file back,",
                    "or set NEKO_DATA_DIR to a new folder to begin anew",
                ),
            )
        return keep_keys(self._folder.keys_file)

    def _run_in_setup_mode(self, product: ProductEnvironment) -> None:
        say(f"  these names are missing: {', '.join(product.missing_names)}")
        self._start_web(product, ready_page="/healthz")
        self._show_status(product, walk=())

    def _run_product(self, keys: Mapping[str, str]) -> None:
        embedded = self._start_servers()
        product = compose_environment(self._environ, keys=keys, embedded=embedded)
        self._shared, self._sandbox = product.shared(embedded=embedded), product.sandbox
        self._run_command("migrate", "migrate", "--no-input", seconds=MIGRATE_SECONDS, product=product)
        self._run_command("check", "check", "--database", "default", seconds=CHECK_SECONDS, product=product)
        if product.sandbox:
            self._start_sandbox(product)
        for charge in worker_charges(product):
            self._supervisor.start(charge)
        self._start_web(product, ready_page="/ready")
        if webhook := webhook_charge(product):
            self._supervisor.start(webhook)
        walk = self._walk_one_message(product) if product.sandbox else ()
        self._show_status(product, walk=walk)

    def _start_servers(self) -> dict[str, str]:
        """Start an embedded server for each service that has no address of its own."""
        settings = read_settings(self._environ)
        given = dict(zip(SERVICE_NAMES, (settings.database_url, settings.redis_url), strict=True))
        for name in (name for name, url in given.items() if url):
            say(f"  {name} is given: nothing is embedded for it")
        embedded: dict[str, str] = {}
        if not all(given.values()):
            self._servers = EmbeddedServers(folder=self._folder, stop=self._stop)
            if not given["DATABASE_URL"]:
                say("  starting Postgres")
                embedded["DATABASE_URL"] = self._servers.start_postgres(self._supervisor, for_tests=False)
            if not given["REDIS_URL"]:
                say("  starting Valkey")
                embedded["REDIS_URL"] = self._servers.start_valkey(self._supervisor)
        return embedded

    def _run_command(
        self, name: str, *arguments: str, seconds: float, product: ProductEnvironment
    ) -> list[str]:
        say(f"  running {name}")
        plan = manage_plan(name, *arguments, environ=product.environ)
        return run_to_end(
            plan,
            log_path=self._folder.logs / f"{name}.log",
            seconds=seconds,
            stop=self._stop,
            meanwhile=self._supervisor.look_after,
        )

    def _start_sandbox(self, product: ProductEnvironment) -> None:
        say("  starting the sandbox")
        address = f"http://127.0.0.1:{product.settings.sandbox_port}"
        self._supervisor.start(sandbox_charge(product))
        self._supervisor.wait_ready(
            "sandbox", lambda _pid: status_of(address, "/") is not None, seconds=SANDBOX_READY_SECONDS
        )

    def _start_web(self, product: ProductEnvironment, *, ready_page: str) -> None:
        say(
            "  starting the web process and the workers"
            if ready_page == "/ready"
            else "  starting the web process"
        )
        address = local_address(product.settings)
        self._supervisor.start(web_charge(product))
        self._supervisor.wait_ready(
            "web", lambda _pid: status_of(address, ready_page) == 200, seconds=WEB_READY_SECONDS
        )
        own = ProcessIdentity.of(os.getpid())
        self._ready_seconds = own.age_seconds() if own else 0.0

    def _walk_one_message(self, product: ProductEnvironment) -> tuple[str, ...]:
        try:
            lines = self._run_command("demo", "demo", "--brief", seconds=WALK_SECONDS, product=product)
        except LauncherFailure as failure:
            return (failure.line, *failure.details[-3:])
        return tuple(lines)

    def _show_status(self, product: ProductEnvironment, *, walk: tuple[str, ...]) -> None:
        version = json_of(local_address(product.settings), "/api/status").get("version")
        StatusScreen(
            product=product,
            processes=tuple(self._supervisor.describe()),
            sockets=self._servers.sockets if self._servers else None,
            logs=self._folder.logs,
            version=str(version) if version else None,
            failing=self._failing_checks(product),
            given_data_dir=self._environ.get("NEKO_DATA_DIR"),
            ready_seconds=self._ready_seconds,
            walk=walk,
        ).show()

    def _failing_checks(self, product: ProductEnvironment) -> tuple[str, ...]:
        checks = json_of(local_address(product.settings), "/ready").get("checks")
        words = checks.items() if isinstance(checks, dict) else ()
        return tuple(str(name) for name, word in words if word != "ok")

    def _stop_everything(self) -> None:
        began = time.monotonic()
        say("Stopping")
        self._supervisor.stop_all()
        if self._servers:
            self._servers.close()
        self._folder.runtime_file.unlink(missing_ok=True)
        say(f"  stopped in {time.monotonic() - began:.1f} s")

    def _write_runtime(self) -> None:
        own = ProcessIdentity.of(os.getpid())
        if own:
            runtime = Runtime(
                launcher=own,
                environ=self._shared,
                sandbox=self._sandbox,
                processes=self._supervisor.running(),
            )
            # A disk that fills up later must not end what already runs.
            with suppress(OSError):
                write_runtime(self._folder.runtime_file, runtime)


def _require_free_ports(product: ProductEnvironment) -> None:
    settings = product.settings
    require_free_port(settings.bind, port=settings.port, setting="NEKO_PORT")
    if product.sandbox:
        if settings.sandbox_port == settings.port:
            raise LauncherFailure(f"NEKO_PORT and NEKO_SANDBOX_PORT are both {settings.port}: change one")
        require_free_port("127.0.0.1", port=settings.sandbox_port, setting="NEKO_SANDBOX_PORT")
