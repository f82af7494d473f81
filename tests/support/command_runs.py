"""Management commands as an operator runs them: in this process, and as a process of its own."""

import io
import os
import subprocess
import sys
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from nekonymous_site.environment import CHECKOUT


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRun:
    """What a command has said, and the code it would end with."""

    code: int
    said: str
    complained: str

    @property
    def everything(self) -> bytes:
        return f"{self.said}\n{self.complained}".encode()


def run_command(*arguments: str) -> CommandRun:
    """Run a command here; a refusal is told as its process would."""
    said, complained = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command(*arguments, stdout=said, stderr=complained)
    except CommandError as error:
        complained.write(str(error))
        code = error.returncode
    return CommandRun(code=code, said=said.getvalue().strip(), complained=complained.getvalue().strip())


def run_process(*arguments: str, **environ: str) -> CommandRun:
    """Run a command as a process of its own, to its end."""
    process = start_process(*arguments, **environ)
    try:
        said, complained = process.communicate(timeout=60)
    finally:
        process.kill()
    return CommandRun(code=process.returncode, said=said.strip(), complained=complained.strip())


def start_process(*arguments: str, **environ: str) -> subprocess.Popen[str]:
    """Start a command as a process of its own, on the database of this test unless told otherwise."""
    here = {
        "DATABASE_URL": _test_database_url(),
        "TELEGRAM_BOT_TOKEN": settings.NEKO.bot_token or "",
        "TELEGRAM_API_URL": settings.NEKO.api_url,
    }
    return subprocess.Popen(
        [sys.executable, str(CHECKOUT / "manage.py"), *arguments],
        env=dict(os.environ) | here | environ,
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _test_database_url() -> str:
    parts = urlsplit(os.environ["DATABASE_URL"])
    return parts._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
