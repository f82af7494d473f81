"""Somebody walks through the product with marked values, and everything is searched on the way."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from nekonymous_site.canaries.data_files import read_files
from nekonymous_site.canaries.database_contents import read_database
from nekonymous_site.canaries.http_answers import read_answers
from nekonymous_site.canaries.installation import Installation, WalkStopped, make_word
from nekonymous_site.canaries.ledger import Ledger, Sample
from nekonymous_site.canaries.marks import make_mark
from nekonymous_site.canaries.process_table import read_arguments
from nekonymous_site.canaries.valkey_contents import commands_sample, read_keys
from nekonymous_site.sandbox.people import (
    ButtonMissing,
    NotSeen,
    Person,
    SandboxRefused,
    SandboxUnreachable,
    SeenMessage,
)

# A person who waits through a fault, a restart and somebody else's rate limit.
PATIENT_SECONDS = 80.0


class Walk:
    """What the scenes of a walk share: people, marks and the account of what was found."""

    def __init__(self, installation: Installation, *, heard: list[str]) -> None:
        """Begin with the secrets of the installation as marks; `heard` grows while Valkey is overheard."""
        self.installation = installation
        self.sandbox = installation.sandbox
        self.ledger = Ledger(installation.secret_marks())
        self.heard = heard
        # One name for everybody, since names are no business of the product's.
        self._first_name = self.mark("first name", make_word("Kanarya"))
        self._user_name = self.mark("user name", make_word("kanarya").replace("-", "_"))
        self.mark("bot user name", str(self.sandbox.status()["bot"]["username"]))
        self._people: list[int] = []

    def mark(self, kind: str, value: str) -> str:
        """Look for a value from now on; gives it back."""
        self.ledger.marks.append(make_mark(kind, value))
        return value

    def meet(self, language: str = "en") -> Person:
        """Make somebody up, whose id and names are marked."""
        person = self.sandbox.person(self._first_name, language, username=self._user_name)
        self.mark("Telegram id", str(person.id))
        self._people.append(person.id)
        return person

    def break_next(self, fault: str, person: Person, *, method: str = "sendMessage") -> None:
        """Let the next call for this person fail."""
        self.sandbox.inject_fault(fault, method=method, chat_id=person.id, retry_after_seconds=1)

    def list_unmet_faults(self) -> list[str]:
        """The faults that were to meet somebody's calls and have not."""
        return [
            fault["kind"]
            for fault in self.sandbox.control.get("/sandbox/faults")["faults"]
            if fault["chat_id"] in self._people
        ]

    def opens(self, link: str, *, language: str = "en") -> Person:
        """Somebody new opens a link and may write."""
        person = self.meet(language)
        person.opens(link)
        person.awaits(lambda seen: seen.has_button("k:"), seconds=PATIENT_SECONDS)
        return person

    def mark_buttons(self, message: SeenMessage) -> None:
        """Mark the capability and the withdraw token that stand in a message's buttons."""
        for prefix, kind in (("r:", "capability"), ("w:", "withdraw token")):
            button = message.find_button(prefix)
            if button is not None and button.callback_data and button.callback_data.startswith(prefix):
                self.mark(kind, button.callback_data.removeprefix(prefix))

    def mark_files(self, person: Person) -> None:
        """Mark the ids of all files that this person has in the chat."""
        for file_id in {message.file_id for message in person.sees() if message.file_id}:
            self.mark("file id", file_id)

    def count(self, query: str) -> int:
        """Ask the database for a number, by a query that is written here."""
        with psycopg.connect(self.installation.database_url) as connection:
            row = connection.execute(query).fetchone()
        return int(row[0]) if row else 0

    def look(self, moment: str) -> None:
        """Search the places that change: the database and what lies in Valkey."""
        self.ledger.search(read_database(self.installation.database_url), moment=moment)
        self.ledger.search(read_keys(self.installation.redis_url), moment=moment)

    def look_everywhere(self, moment: str) -> None:
        """Search every place there is."""
        self.look(moment)
        self.ledger.search([commands_sample(list(self.heard))], moment=moment)
        self.ledger.search(read_files(self.installation.settings.data_dir), moment=moment)
        self.ledger.search(read_arguments(), moment=moment)
        self.ledger.search(read_answers(self.installation, word=self._first_name), moment=moment)

    def search_output(self, command: str, output: bytes) -> None:
        """Search what a command has printed."""
        self.ledger.search([Sample(group="command output", place=command, content=output)], moment="at once")


@contextmanager
def chapter(name: str) -> Iterator[None]:
    """Name the place where the walk stopped; the chat, for a developer, stays in the cause."""
    try:
        yield
    except (NotSeen, ButtonMissing, SandboxRefused, SandboxUnreachable) as error:
        reason = f"the walk stopped where {name} ({type(error).__name__})"
        raise WalkStopped(reason) from error
    except WalkStopped as error:
        reason = f"the walk stopped where {name}: {error}"
        raise WalkStopped(reason) from error
