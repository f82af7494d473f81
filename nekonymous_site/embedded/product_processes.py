"""The product's own processes: what exactly is run for each of them."""

import sys
from collections.abc import Iterator, Mapping

from nekonymous_site.embedded.child_process import ChildPlan
from nekonymous_site.embedded.process_environment import ProductEnvironment
from nekonymous_site.embedded.supervisor import Charge
from nekonymous_site.environment import CHECKOUT, Environment

WEB_WORKERS = 2
WEB_THREADS = 8
WORKER_THREADS = 8
WORKER_QUEUES = "outbox,gathering,notification,inbox_drain,index,stats,maintenance"


def manage_plan(name: str, *arguments: str, environ: Mapping[str, str]) -> ChildPlan:
    """A management command."""
    return ChildPlan(
        name=name, argv=(sys.executable, str(CHECKOUT / "manage.py"), *arguments), environ=environ
    )


def sandbox_charge(product: ProductEnvironment) -> Charge:
    """The local Bot API that stands in for Telegram."""
    settings = product.settings
    return _module_charge(
        "sandbox",
        "nekonymous_site.sandbox",
        *("--port", str(settings.sandbox_port)),
        *("--token", product.environ["TELEGRAM_BOT_TOKEN"]),
        *("--state", str(settings.data_dir / "sandbox.json")),
        environ=product.environ,
    )


def web_charge(product: ProductEnvironment) -> Charge:
    """The web server. Its main process keeps two workers alive and hands them one port."""
    return _module_charge(
        "web",
        "granian",
        "nekonymous_site.wsgi:application",
        *("--interface", "wsgi", "--host", product.settings.bind, "--port", str(product.settings.port)),
        *("--workers", str(WEB_WORKERS), "--blocking-threads", str(WEB_THREADS)),
        *("--respawn-failed-workers", "--workers-kill-timeout", "4", "--no-ws", "--http", "1"),
        *("--log-level", "warning", "--no-access-log"),
        environ=product.environ,
    )


def worker_charges(product: ProductEnvironment) -> Iterator[Charge]:
    """Everything that works behind the web process."""
    environ = product.environ
    yield _celery_charge(
        "worker",
        "worker",
        *("-P", "threads", "-c", str(WORKER_THREADS), "-Q", WORKER_QUEUES, "-n", "worker@neko"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        environ=environ,
    )
    schedule = product.settings.data_dir / "beat" / "schedule"
    yield _celery_charge("beat", "beat", "--schedule", str(schedule), "--pidfile", "", environ=environ)
    yield Charge(plan=manage_plan("sweeper", "sweep", environ=environ))
    if product.settings.updates == "polling":
        yield Charge(plan=manage_plan("poller", "poll", environ=environ))


def webhook_charge(product: ProductEnvironment) -> Charge | None:
    """The registration of the webhook, repeated until it succeeds; None if there is nothing to register.

    Without a public address the operator registers the webhook himself.
    """
    settings = product.settings
    if settings.updates != "webhook" or not (product.sandbox or settings.public_url):
        return None
    arguments = ["setwebhook"]
    if product.sandbox and not settings.public_url:
        arguments += ["--url", f"{local_address(settings)}/webhook/tg"]
    return Charge(plan=manage_plan("webhook", *arguments, environ=product.environ), once=True)


def local_address(settings: Environment) -> str:
    """How this machine itself reaches the web process."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.bind, settings.bind)  # noqa: S104 - compared, not bound
    return f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"


def _module_charge(name: str, module: str, *arguments: str, environ: Mapping[str, str]) -> Charge:
    return Charge(plan=ChildPlan(name=name, argv=(sys.executable, "-m", module, *arguments), environ=environ))


def _celery_charge(name: str, *arguments: str, environ: Mapping[str, str]) -> Charge:
    common = ("-A", "nekonymous_site", "--workdir", str(CHECKOUT))
    return _module_charge(name, "celery", *common, *arguments, "--loglevel", "WARNING", environ=environ)
