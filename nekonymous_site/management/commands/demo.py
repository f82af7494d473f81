"""``./neko demo``: the story of three people through the running product."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from nekonymous_site.sandbox.further_story import FurtherStory
from nekonymous_site.sandbox.people import Person, Sandbox, SandboxRefused, SandboxUnreachable
from nekonymous_site.sandbox.story import Story, StoryStopped
from nekonymous_site.sandbox.webhook import is_loopback_host


class Command(BaseCommand):
    """Drives the sandbox over HTTP only; changes nothing but adding three made-up people to it."""

    help = "Play the story of three people through the running product, each chat as its owner sees it."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--brief", action="store_true", help="only the first delivery, in four lines")

    def handle(self, *_arguments: object, **options: object) -> None:
        sandbox = _find_sandbox(settings.NEKO.api_url)
        story = Story(sandbox, tell=self.stdout.write)
        try:
            delivered = story.play_first_leg()
            if options["brief"]:
                return
            story.play_answers(delivered)
            third = FurtherStory(sandbox=sandbox, tell=self.stdout.write).play(delivered)
        except StoryStopped as error:
            raise CommandError(str(error)) from None
        for person in (delivered.owner, delivered.visitor, third):
            self._show_chat(person)

    def _show_chat(self, person: Person) -> None:
        self.stdout.write(f"\n── the chat as {person.first_name} sees it ──")
        self.stdout.write(person.transcript())


def _find_sandbox(api_url: str) -> Sandbox:
    """The sandbox the bot talks to. Raises CommandError if it talks to real people."""
    if not is_loopback_host(urlsplit(api_url).hostname or ""):
        raise CommandError(
            "the demo plays in the sandbox, and none is running here: start ./neko up without a bot token"
        )
    sandbox = Sandbox(api_url)
    try:
        is_sandbox = sandbox.status().get("sandbox")
    except (SandboxRefused, SandboxUnreachable) as error:
        reason = f"the sandbox is not running: {error}; start it with ./neko up"
        raise CommandError(reason) from None
    if is_sandbox is not True:
        raise CommandError("what answers at the Bot API's address is no sandbox")
    return sandbox
