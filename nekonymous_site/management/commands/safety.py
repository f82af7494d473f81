"""Suspend, ban, clear or look up one person, who is named on standard input alone."""

import json
import re
import sys
from datetime import UTC
from typing import Any, Final, TextIO

from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

import safety.selectors
import safety.services
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import AbuseSubjectTag, TelegramUserId
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.startup import refuse_wrong_configuration
from safety.errors import SafetyError
from safety.standing import SubjectStanding

EXIT_WRONG_USAGE: Final = 2  # argparse's own
LONGEST_INPUT_CHARACTERS: Final = 64
_USER_ID: Final = re.compile(r"[1-9][0-9]{0,15}")


class Command(BaseCommand):
    """Takes Telegram ids so far; case numbers, by which an operator need not know one, come with reports."""

    help = (
        "Reads one Telegram user id from standard input, because arguments stand in process lists and in the "
        "shell's history, and suspends (--hours), bans, clears or shows that person. Says how they stand and "
        "names nobody. A suspension shortens neither a ban nor a longer suspension: clear first. Exit codes: "
        "0 done, 1 could not be done, 2 wrong usage or input, 78 wrong configuration. Case numbers come with "
        "reports."
    )

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["suspend", "ban", "clear", "show"])
        parser.add_argument("--hours", type=int, help="how long a suspension lasts, its end rounded up")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    @override
    def handle(self, *_args: Any, action: str, hours: int | None, **options: Any) -> None:
        refuse_wrong_configuration()
        if (action == "suspend") is (hours is None):
            raise _wrong_usage("--hours goes with suspend, and with nothing else")
        if sys.stdin.isatty():
            self.stderr.write("Telegram user id: ", ending="")
        subject = _read_subject(sys.stdin)
        try:
            with durable_transaction() as pipeline:
                _apply(pipeline, subject, action=action, hours=hours)
                standing = safety.selectors.queue_standing(pipeline, subject).value
        except SafetyError as error:
            raise _wrong_usage(str(error)) from None
        self.stdout.write(_in_json(standing) if options["json"] else _in_words(standing))


def _apply(pipeline: StatementPipeline, subject: AbuseSubjectTag, *, action: str, hours: int | None) -> None:
    if action == "suspend" and hours is not None:
        safety.services.queue_suspended(pipeline, subject, hours=hours)
    elif action == "ban":
        safety.services.queue_banned(pipeline, subject)
    elif action == "clear":
        safety.services.queue_cleared(pipeline, subject)


def _read_subject(stream: TextIO) -> AbuseSubjectTag:
    """Read one id and nothing else; what was read is repeated nowhere."""
    try:
        text = stream.readline(LONGEST_INPUT_CHARACTERS)
        if not stream.isatty():
            text += stream.read(LONGEST_INPUT_CHARACTERS)
    except UnicodeDecodeError:
        text = ""
    user_id = text.strip()
    if not _USER_ID.fullmatch(user_id):
        raise _wrong_usage("standard input must hold one Telegram user id in digits 0-9, and nothing else")
    return blind_tags.abuse_subject_tag(blind_tags.actor_hash(TelegramUserId(int(user_id))))


def _in_words(standing: SubjectStanding) -> str:
    if standing.until is None:
        return standing.standing
    return f"{standing.standing} until {standing.until.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _in_json(standing: SubjectStanding) -> str:
    until = standing.until and standing.until.astimezone(UTC).isoformat()
    return json.dumps({"standing": standing.standing, "until": until})


def _wrong_usage(message: str) -> CommandError:
    return CommandError(message, returncode=EXIT_WRONG_USAGE)
