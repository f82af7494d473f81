"""The whole product as processes of its own, exactly those that `up` runs, on a database of their own."""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
import requests

from nekonymous_site.embedded.child_process import ChildPlan
from nekonymous_site.embedded.process_environment import ProductEnvironment, compose_environment
from nekonymous_site.embedded.product_processes import manage_plan, web_charge, worker_charges
from tests.sandbox.sandbox_process import TOKEN, RunningSandbox

READY_SECONDS = 60.0
STOP_SECONDS = 15.0


@dataclass
class Product:
    """Running processes by name, their sandbox, and a direct line to their database."""

    environment: ProductEnvironment
    sandbox: RunningSandbox
    logs: Path
    database_url: str
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    plans: dict[str, ChildPlan] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.environment.settings.port}"

    def start(self, plan: ChildPlan) -> None:
        """Start one process, in a group of its own, its output in a log file."""
        self.plans[plan.name] = plan
        with (self.logs / f"{plan.name}.log").open("ab") as log:
            self.processes[plan.name] = subprocess.Popen(
                [str(part) for part in plan.argv],
                env=dict(plan.environ),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def stop_all(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=STOP_SECONDS)

    def run(self, *arguments: str) -> None:
        """Run a management command to its end."""
        plan = manage_plan("command", *arguments, environ=self.environment.environ)
        subprocess.run(
            [str(part) for part in plan.argv],
            env=dict(plan.environ),
            check=True,
            timeout=READY_SECONDS,
            capture_output=True,
        )

    def count(self, table: str, where: str = "true") -> int:
        with psycopg.connect(self.database_url) as connection:
            row = connection.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()  # noqa: S608 - written in tests
        assert row is not None
        return int(row[0])


@contextmanager
def running_product(
    folder: Path, *, updates: str, redis_database: int, template: str, environ: Mapping[str, str]
) -> Iterator[Product]:
    """Run web, worker, beat, sweeper and, where asked, poller, with a sandbox, until the block ends."""
    (folder / "logs").mkdir(parents=True)
    (folder / "beat").mkdir()
    name = f"product_{updates}_{os.getpid()}"
    with ExitStack() as running:
        sandbox = RunningSandbox(folder / "sandbox.json", "--webhook-retry-cap-seconds=2")
        running.callback(sandbox.stop)
        database_url = running.enter_context(
            _copied_database(environ["DATABASE_URL"], name=name, template=template)
        )
        given = dict(environ) | {
            "DATABASE_URL": database_url,
            "REDIS_URL": f"{environ['REDIS_URL'].partition('?')[0]}?db={redis_database}",
            "TELEGRAM_BOT_TOKEN": TOKEN,
            "TELEGRAM_API_URL": sandbox.base_url,
            "NEKO_UPDATES": updates,
            "NEKO_PORT": str(free_port()),
            "NEKO_DATA_DIR": str(folder),
        }
        product = Product(
            environment=compose_environment(given, keys={}, embedded={}),
            sandbox=sandbox,
            logs=folder / "logs",
            database_url=database_url,
        )
        running.callback(product.stop_all)
        _start_all(product, updates=updates)
        yield product


def wait_until(condition: Callable[[], object], *, seconds: float = READY_SECONDS) -> None:
    """Wait for a condition, with an end."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            raise AssertionError("not in time")
        time.sleep(0.05)


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_ready(url: str) -> bool:
    """Whether a web process answers that it can take updates."""
    try:
        return requests.get(f"{url}/ready", timeout=5, headers={"Connection": "close"}).status_code == 200
    except requests.ConnectionError:
        return False


def _start_all(product: Product, *, updates: str) -> None:
    product.start(web_charge(product.environment).plan)
    for charge in worker_charges(product.environment):
        product.start(charge.plan)
    wait_until(lambda: is_ready(product.url))
    if updates == "webhook":
        product.run("setwebhook", "--url", f"{product.url}/webhook/tg")
    else:
        wait_until(lambda: product.sandbox.people.status()["is_polled"])


@contextmanager
def _copied_database(url: str, *, name: str, template: str) -> Iterator[str]:
    with psycopg.connect(_at_database(url, "postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield _at_database(url, name)
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _at_database(url: str, name: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, f"/{name}", urlencode(parse_qsl(parts.query)), ""))
