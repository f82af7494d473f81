"""Whose lane is whose: by how much is on its way in it, else by the order in which both lie."""

from collections import Counter

from nekonymous_site.attack_lab.findings import account_of, match_by_rank
from nekonymous_site.attack_lab.thiefs_view import AccountKey, Dump

LIVE_STATES = frozenset({"pending", "sending", "unknown_after_send"})


def guess_lane_owners(dump: Dump) -> dict[bytes, frozenset[AccountKey]]:
    """Name the likely accounts of each lane.

    As many deliveries wait in a lane as rows of its owner's are being sent; without any the n-th lane is laid
    beside the account at the same share of theirs.
    """
    deliveries = Counter(
        row["lane_tag"]
        for row in dump.rows("outbox.intent")
        if row["kind"] == "ticket" and row["state"] in LIVE_STATES
    )
    sending = Counter(account_of(row) for row in dump.rows("accounts.unread") if row["state"] == "sending")
    accounts = [account_of(row) for row in dump.rows("accounts.account")]
    lanes = [row["lane_tag"] for row in dump.rows("outbox.lane")]
    owners = {lane: frozenset({accounts[rank]}) for lane, rank in match_by_rank(lanes, accounts)}
    for lane, count in deliveries.items():
        fitting = frozenset(account for account, rows in sending.items() if rows == count)
        if fitting:
            owners[lane] = fitting
    return owners
