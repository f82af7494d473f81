"""Two people who have written to each other, and the ways in which an inbox then takes nothing more.

Each way comes about as in the product, except what only time or a later command brings.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from plane_people import fill_inbox
from stored_rows import change_rows, read_rows, read_value
from town import Town

import safety.services
from accounts.selectors import UNREAD_LIMIT
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import AccountId, ActorHash, TelegramUserId
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.sandbox.people import Person, SeenMessage


@dataclass(frozen=True, kw_only=True)
class Acquaintance:
    """Alice has followed Bob's link; each has received a message of the other."""

    alice: Person
    bob: Person
    link: str
    from_alice: SeenMessage
    from_bob: SeenMessage


def acquaint(town: Town) -> Acquaintance:
    """Let Alice write to Bob and Bob answer; both messages are delivered."""
    bob, link = town.owner()
    alice = town.person("Alice")
    town.writes(alice, link, "hello Bob")
    from_alice = fetch_only(town, bob)
    bob.says("hello whoever you are", reply_to=from_alice)
    return Acquaintance(
        alice=alice, bob=bob, link=link, from_alice=from_alice, from_bob=fetch_only(town, alice)
    )


def fetch_only(town: Town, person: Person) -> SeenMessage:
    """Let somebody ask for the one message that waits for them."""
    before = len(town.delivered(person))
    town.settle()
    person.says("/inbox")
    town.settle()
    [message] = town.delivered(person)[before:]
    return message


def hash_of(person: Person) -> ActorHash:
    """Under which hash the product knows somebody."""
    return blind_tags.actor_hash(TelegramUserId(person.id))


def account_of(person: Person) -> AccountId:
    """Find the account that there must be."""
    found = read_value("SELECT account_id FROM accounts.account WHERE actor_hash = %s", [hash_of(person)])
    assert isinstance(found, bytes)
    return AccountId(found)


def tap_setting(town: Town, person: Person, name: str) -> None:
    """Open the settings and press a button that one of its screens has."""
    person.says("/settings")
    town.settle()
    person.taps_data(person.sees()[-1], f"st:{name}")
    town.settle()


def sanction(person: Person, *, hours: int | None) -> None:
    """Suspend somebody for some hours, or ban them."""
    subject = blind_tags.abuse_subject_tag(hash_of(person))
    with durable_transaction() as pipeline:
        if hours is None:
            safety.services.queue_banned(pipeline, subject)
        else:
            safety.services.queue_suspended(pipeline, subject, hours=hours)


Write = Callable[[Person], object]


def answers_to(town: Town, person: Person, write: Write) -> list[tuple[str, dict[str, Any]]]:
    """Let somebody write; gives every call that the bot makes to their chat because of it.

    Each shows which message of theirs it is about; apart from that number answers can be compared.
    """
    before = person.sees()[-1].message_id
    town.sandbox.forget_calls()
    write(person)
    town.settle()
    calls = [(call["method"], dict(call["params"])) for call in town.sandbox.calls()]
    answers = [(method, params) for method, params in calls if params.pop("chat_id", None) == person.id]
    shown = [params.pop("reply_parameters", {"message_id": before + 1}) for _, params in answers]
    assert all(one["message_id"] > before for one in shown)
    return answers


def has_nothing_open(person: Person) -> bool:
    """Tell whether somebody has neither a draft nor a composition."""
    account_id = account_of(person)
    drafts = read_rows("SELECT 1 FROM accounts.draft WHERE account_id = %s", [account_id])
    compositions = read_rows("SELECT 1 FROM accounts.composition WHERE account_id = %s", [account_id])
    return not drafts and not compositions


Close = Callable[[Town, Person, SeenMessage], None]


def _pause(choice: str) -> Close:
    def close(town: Town, owner: Person, _message: SeenMessage) -> None:
        tap_setting(town, owner, f"pause:{choice}")

    return close


def _become_unreachable(town: Town, owner: Person, _message: SeenMessage) -> None:
    owner.says("/help")
    town.take_updates()
    owner.blocks_bot()
    town.settle()
    reachable = read_value("SELECT reachable FROM accounts.account WHERE actor_hash = %s", [hash_of(owner)])
    assert reachable is False


def _block(town: Town, owner: Person, message: SeenMessage) -> None:
    owner.taps(message, "b:")
    town.settle()


def _fill(_town: Town, owner: Person, _message: SeenMessage) -> None:
    fill_inbox(account_of(owner), count=UNREAD_LIMIT)
    change_rows("UPDATE accounts.unread SET unnoticed = false")


def _go(_town: Town, owner: Person, _message: SeenMessage) -> None:
    """Leave nothing behind, as a hard reset does."""
    account_id = account_of(owner)
    assert change_rows("DELETE FROM accounts.account WHERE account_id = %s", [account_id]) == 1
    assert change_rows("DELETE FROM accounts.public_link WHERE account_id = %s", [account_id]) == 1
    for sql in _LEFT_BEHIND:
        change_rows(sql, [account_id])


_LEFT_BEHIND: Final = (
    "DELETE FROM accounts.draft WHERE account_id = %s",
    "DELETE FROM accounts.composition WHERE account_id = %s",
    "DELETE FROM accounts.block WHERE account_id = %s",
    "DELETE FROM accounts.nickname WHERE account_id = %s",
    "DELETE FROM accounts.unread WHERE account_id = %s",
)

GONE: Final = "gone"
# What the owner of an inbox does, who has the message of whoever writes next.
CLOSED: Final[dict[str, Close]] = {
    "paused for an hour": _pause("1"),
    "paused for eight hours": _pause("8"),
    "paused for a day": _pause("24"),
    "paused until resumed": _pause("ever"),
    "unreachable": _become_unreachable,
    "blocked": _block,
    "full": _fill,
    GONE: _go,
}
