"""Values that lie in the clear where everybody may know it: each with its place and its reason."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from nekonymous_site.canaries.data_files import LOGS
from nekonymous_site.canaries.database_contents import STATISTICS, TABLES
from nekonymous_site.canaries.ledger import Finding
from nekonymous_site.canaries.process_table import ARGUMENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """One kind of value that one place holds, and why it may."""

    group: str
    place: str
    kind: str
    reason: str
    with_own_servers: bool = False  # only where the launcher's own logs lie in the data folder

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is this one."""
        return (self.group, self.place, self.kind) == (finding.group, finding.place, finding.kind)


EXPECTED: Final = (
    Expected(
        group=TABLES,
        place="accounts.public_link",
        kind="link slug",
        reason="a person shares it in public; docs/threat_model.md says what it tells",
    ),
    Expected(
        group=STATISTICS,
        place="accounts.public_link.slug",
        kind="link slug",
        reason="the planner's copy of the table",
    ),
    Expected(
        group=TABLES,
        place="accounts.account",
        kind="time zone",
        reason="one of a few dozen; docs/storage_planes.md names the column",
    ),
    Expected(
        group=STATISTICS,
        place="accounts.account.time_zone",
        kind="time zone",
        reason="the planner's copy of the table",
    ),
    Expected(
        group=TABLES,
        place="outbox.bot_identity",
        kind="bot user name",
        reason="the bot is public; every link names it",
    ),
    Expected(
        group=LOGS,
        place="log/webhook.log",
        kind="bot user name",
        reason="setwebhook says which bot it has registered",
        with_own_servers=True,
    ),
    Expected(
        group=ARGUMENTS,
        place="python -m nekonymous_site.sandbox",
        kind="bot token",
        reason="the sandbox plays Telegram for a made-up bot; a real token is in no argument",
    ),
)


def leaks_among(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that nothing on the list covers."""
    return [one for one in findings if not any(expected.covers(one) for expected in EXPECTED)]


def unneeded_among(findings: Iterable[Finding], *, has_own_servers: bool) -> list[Expected]:
    """The entries of the list that no finding has needed: they hide what is not there any more."""
    found = list(findings)
    return [
        expected
        for expected in EXPECTED
        if (has_own_servers or not expected.with_own_servers)
        and not any(expected.covers(one) for one in found)
    ]
