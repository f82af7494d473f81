"""All attacks together: what the surest says, narrowed by whatever else fits."""

from collections.abc import Sequence

from nekonymous_site.attack_lab.findings import Candidates, Findings
from nekonymous_site.attack_lab.thiefs_view import AccountKey, TicketKey


def combine(findings: Sequence[Findings]) -> Findings:
    """Narrow down candidates attack by attack, the surest first; what contradicts these is passed over.

    Nobody has written to themselves.
    """
    recipients = _narrow([one.recipients for one in findings])
    senders = _narrow([one.senders for one in findings])
    apart = {
        ticket: accounts - recipients[ticket]
        for ticket, accounts in senders.items()
        if len(recipients.get(ticket, ())) == 1
    }
    return Findings(
        recipients=recipients,
        senders=senders | {ticket: accounts for ticket, accounts in apart.items() if accounts},
    )


def _narrow(claims: Sequence[Candidates]) -> dict[TicketKey, frozenset[AccountKey]]:
    narrowed: dict[TicketKey, frozenset[AccountKey]] = {}
    for claim in claims:
        for ticket, accounts in claim.items():
            narrowed[ticket] = (narrowed.get(ticket, accounts) & accounts) or narrowed[ticket]
    return narrowed
