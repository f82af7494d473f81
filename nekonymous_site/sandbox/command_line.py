"""Options of ``python -m nekonymous_site.sandbox``."""

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from nekonymous_site.sandbox.server import LOOPBACK, serve
from nekonymous_site.sandbox.simulation import Timings, start_simulation
from nekonymous_site.sandbox.state_file import StateUnreadable
from nekonymous_site.sandbox.world import Bot

_TOKEN = re.compile(r"([1-9][0-9]{0,15}):[A-Za-z0-9_-]{1,256}", re.ASCII)
EXIT_REFUSED = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the stand-in until it is stopped. Returns the exit code: 0 when stopped, 2 when not started."""
    if os.environ.get("NEKO_ENV") == "production":
        return _refuse("there is no sandbox in production (NEKO_ENV)")
    options = _build_parser().parse_args(arguments)
    token = _TOKEN.fullmatch(options.token)
    if token is None:
        return _refuse("--token must look like <bot id>:<secret>")
    simulation = start_simulation(Bot(token=options.token, id=int(token[1])), timings=_read_timings(options))
    try:
        asyncio.run(
            serve(
                simulation,
                port=options.port,
                state_path=options.state,
                enforce_rates=options.enforce_rates,
                announce=_announce,
            )
        )
    except StateUnreadable:
        return _refuse(f"{options.state} cannot be read; rename or delete it to start anew")
    except OSError as error:
        return _refuse(
            f"cannot serve on {LOOPBACK}:{options.port} or write {options.state}: {error.strerror}"
        )
    return 0


def _build_parser() -> argparse.ArgumentParser:
    defaults = Timings()
    parser = argparse.ArgumentParser(
        prog="python -m nekonymous_site.sandbox",
        description="A local stand-in for Telegram's Bot API, for development and tests only.",
    )
    parser.add_argument("--port", type=int, required=True, help="port on 127.0.0.1; 0 takes any free one")
    parser.add_argument("--token", required=True, help="the bot's made-up token, <bot id>:<secret>")
    parser.add_argument("--state", type=Path, required=True, help="file that keeps people and chats")
    parser.add_argument(
        "--webhook-timeout-seconds", type=float, default=defaults.webhook_timeout_seconds, metavar="S"
    )
    parser.add_argument(
        "--webhook-retry-cap-seconds", type=float, default=defaults.webhook_retry_cap_seconds, metavar="S"
    )
    parser.add_argument(
        "--callback-lifetime-seconds", type=float, default=defaults.callback_lifetime_seconds, metavar="S"
    )
    parser.add_argument(
        "--enforce-rates", action="store_true", help="refuse what comes faster than Telegram takes it"
    )
    return parser


def _read_timings(options: argparse.Namespace) -> Timings:
    return Timings(
        webhook_timeout_seconds=options.webhook_timeout_seconds,
        webhook_retry_cap_seconds=options.webhook_retry_cap_seconds,
        callback_lifetime_seconds=options.callback_lifetime_seconds,
    )


def _announce(address: str) -> None:
    sys.stdout.write(f"sandbox: {address}\n")
    sys.stdout.flush()


def _refuse(reason: str) -> int:
    sys.stderr.write(f"sandbox: {reason}\n")
    return EXIT_REFUSED
