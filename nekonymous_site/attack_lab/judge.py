"""The judge: opens with the product's keys who wrote which ticket to whom. Attackers never see this."""

from collections import Counter

from django.db import connection

from accounts.inbox import UnreadTicket
from nekonymous_site.attack_lab.scoring import Ends
from nekonymous_site.attack_lab.thiefs_view import AccountKey, TicketKey
from nekonymous_site.crypto import blind_tags, ticket_capsules
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import TelegramUserId, TicketHash
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.workflows.ticket_content import Route
from tickets.selectors import queue_ticket


class TruthDiffers(Exception):
    """A ticket says something else than what its made-up sender did."""


class Judge:
    """Learns each ticket while it is fresh, and holds it against what people did."""

    def __init__(self) -> None:
        self.truth: dict[TicketKey, Ends] = {}
        self._acts: Counter[Ends] = Counter()

    def expect(self, sender: AccountKey, *, recipient: AccountKey) -> None:
        """Note that somebody writes to somebody, whether or not it will be accepted."""
        self._acts[Ends(sender=sender, recipient=recipient)] += 1

    def expect_answer(self, sender: AccountKey, *, capability: str) -> AccountKey:
        """Note that somebody answers what was delivered to them, by its buttons; tells whom."""
        answered = blind_tags.ticket_hash(Capability.parse(capability).lookup_nonce)
        recipient = self.truth[TicketKey(bytes(answered))].sender
        self.expect(sender, recipient=recipient)
        return recipient

    def learn(self) -> int:
        """Open the tickets that have come since the last notices; tells how many. Raises TruthDiffers."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT account_id, dedupe_tag, generation, possible_repeat, capability FROM accounts.unread"
                " WHERE unnoticed"
            )
            rows = [(bytes(account), *rest) for account, *rest in cursor.fetchall()]
        learned = 0
        with durable_transaction() as pipeline:
            for account, tag, generation, possible_repeat, envelope in rows:
                unread = UnreadTicket(
                    dedupe_tag=tag,
                    attempt_id=b"",
                    generation=generation,
                    possible_repeat=possible_repeat,
                    envelope=envelope,
                )
                learned += self._note(pipeline, unread, recipient=AccountKey(account))
        return learned

    def _note(self, pipeline: StatementPipeline, unread: UnreadTicket, *, recipient: AccountKey) -> bool:
        capability = unread.capability()
        ticket_hash: TicketHash = blind_tags.ticket_hash(capability.lookup_nonce)
        key = TicketKey(bytes(ticket_hash))
        stored = queue_ticket(pipeline, ticket_hash).value
        if key in self.truth or stored is None:
            return False
        route = Route.from_bytes(ticket_capsules.open_route(capability, stored.route))
        ends = Ends(sender=AccountKey(bytes(route.account_id)), recipient=recipient)
        if not self._acts[ends]:
            raise TruthDiffers
        self._acts[ends] -= 1
        self.truth[key] = ends
        return True


def find_accounts(person_ids: list[int]) -> dict[int, AccountKey]:
    """Find the accounts of people who have started the bot."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT actor_hash, account_id FROM accounts.account")
        by_hash = {bytes(actor): AccountKey(bytes(account)) for actor, account in cursor.fetchall()}
    return {one: by_hash[blind_tags.actor_hash(TelegramUserId(one))] for one in person_ids}
