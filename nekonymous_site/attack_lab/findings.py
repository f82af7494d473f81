"""What an attack claims: for a ticket the accounts that it holds to be equally likely, at either end."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from nekonymous_site.attack_lab.thiefs_view import AccountKey, Row, TicketKey

Candidates = Mapping[TicketKey, frozenset[AccountKey]]
_Left = TypeVar("_Left")
_Right = TypeVar("_Right")


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Candidates for recipient and sender by ticket; tickets that an attack says nothing of are left out."""

    recipients: Candidates = field(default_factory=dict)
    senders: Candidates = field(default_factory=dict)


def likeliest(accounts: Iterable[AccountKey | None]) -> frozenset[AccountKey]:
    """Name those that come up most often."""
    counts = Counter(account for account in accounts if account is not None)
    most = max(counts.values(), default=0)
    return frozenset(account for account, count in counts.items() if count == most)


def match_by_rank(left: Sequence[_Left], right: Sequence[_Right]) -> list[tuple[_Left, int]]:
    """Lay two lists beside each other: what stands at the same share of the one and of the other."""
    if not right:
        return []
    if len(left) == len(right):
        return [(one, rank) for rank, one in enumerate(left)]
    scale = len(right) / len(left) if left else 0
    return [(one, min(int((rank + 0.5) * scale), len(right) - 1)) for rank, one in enumerate(left)]


def ticket_of(row: Row) -> TicketKey:
    """Name the ticket of a row of the vault."""
    return TicketKey(row["ticket_hash"])


def account_of(row: Row) -> AccountKey:
    """Name the account that a row belongs to."""
    return AccountKey(row["account_id"])
