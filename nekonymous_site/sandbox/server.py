"""The running process: serves until it is told to stop, then saves and leaves at once."""

import asyncio
import contextlib
import signal
from collections.abc import Callable
from pathlib import Path

from aiohttp import web

from nekonymous_site.sandbox.bot_api import BotApi
from nekonymous_site.sandbox.control_api import ControlApi
from nekonymous_site.sandbox.control_requests import guard_control_api
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.state_file import StateFile
from nekonymous_site.sandbox.webhook_delivery import WebhookDelivery

LOOPBACK = "127.0.0.1"
# Long polls and hanging calls are not worth waiting for.
_SHUTDOWN_SECONDS = 0.2


async def serve(
    simulation: Simulation,
    *,
    port: int,
    state_path: Path,
    enforce_rates: bool,
    announce: Callable[[str], None],
) -> None:
    """Serve on loopback until SIGTERM or SIGINT; ``announce`` gets the address once it is open.

    With ``enforce_rates`` the bot is held to the rates whatever the state says, without it as the state says.

    Raises OSError when the port is taken and StateUnreadable.
    """
    state_file = StateFile(state_path, simulation)
    state_file.load()
    if enforce_rates:
        simulation.rates.switch(enforced=True, figures=simulation.rates.figures)
    stopped = _stop_on_signals()
    bot_api = BotApi(simulation)
    runner = web.AppRunner(
        _make_application(simulation, bot_api), access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS
    )
    await runner.setup()
    delivery = WebhookDelivery(simulation, run_answer=bot_api.run_webhook_answer)
    try:
        site = web.TCPSite(runner, LOOPBACK, port)
        await site.start()
        state_file.save_at_start()
        announce(f"http://{LOOPBACK}:{runner.addresses[0][1]}")
        await _run_beside(delivery, state_file, stopped=stopped)
    finally:
        await runner.cleanup()
    state_file.save_at_exit()


def _make_application(simulation: Simulation, bot_api: BotApi) -> web.Application:
    application = web.Application(middlewares=[guard_control_api])
    bot_api.add_routes(application)
    ControlApi(simulation).add_routes(application)
    return application


async def _run_beside(delivery: WebhookDelivery, state_file: StateFile, *, stopped: asyncio.Event) -> None:
    """Deliver and save until stopped; if either fails, so does this."""
    tasks = [asyncio.create_task(delivery.run()), asyncio.create_task(state_file.keep_saved())]
    stopping = asyncio.create_task(stopped.wait())
    await asyncio.wait([*tasks, stopping], return_when=asyncio.FIRST_COMPLETED)
    for task in [*tasks, stopping]:
        if task.done() and task is not stopping:
            task.result()
        task.cancel()
    for task in tasks:
        with contextlib.suppress(asyncio.CancelledError):
            await task


def _stop_on_signals() -> asyncio.Event:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    return stopped
