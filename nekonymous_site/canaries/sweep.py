"""The sweep as a whole: the walk in its order, and what must have happened for it to say anything."""

import time
from collections.abc import Callable
from typing import Final

from nekonymous_site.canaries.breakages import (
    begin_poison,
    end_poison,
    kill_sending_worker,
    kill_web_processes,
    lose_broker,
    lose_database_connections,
    refuse_sends,
)
from nekonymous_site.canaries.data_files import LOGS, read_files
from nekonymous_site.canaries.database_contents import copy_into_statistics
from nekonymous_site.canaries.expected_findings import leaks_among, unneeded_among
from nekonymous_site.canaries.installation import Installation, WalkStopped
from nekonymous_site.canaries.owner_scenes import begin, block_and_lift, fetch_all, name_and_answer
from nekonymous_site.canaries.sending_scenes import send_all
from nekonymous_site.canaries.sweep_report import SweepReport
from nekonymous_site.canaries.valkey_contents import overheard_commands
from nekonymous_site.canaries.walk import Walk, chapter

# Without these in the logs nothing has gone wrong on the walk, and finding nothing would mean nothing.
_WITNESSES: Final = ("update_parked", "update_failed", "update_postponed", "raised_at", "caused_by")
_SAFETY: Final = (("suspend", "--hours", "1"), ("show", "--json"), ("clear",))


def sweep(installation: Installation, *, tell: Callable[[str], None]) -> SweepReport:
    """Walk through the product and search everything. Raises WalkStopped if the walk does not get through.

    Makes people up, breaks and kills: for an installation that is there for nothing else.
    """
    started = time.monotonic()
    with overheard_commands(installation.redis_url) as heard:
        walk = Walk(installation, heard=heard)
        _play(walk, tell=tell)
        _require_witnesses(walk)
        copy_into_statistics(installation.database_url)
        tell("everything is searched")
        walk.look_everywhere("in the end")
    findings = walk.ledger.findings()
    leaks = leaks_among(findings)
    return SweepReport(
        totals=walk.ledger.totals,
        values=len(walk.ledger.marks),
        found=leaks,
        expected=[one for one in findings if one not in leaks],
        unneeded=unneeded_among(findings, has_own_servers=installation.has_own_servers),
        seconds=time.monotonic() - started,
    )


def _play(walk: Walk, *, tell: Callable[[str], None]) -> None:
    tell("an owner sets everything")
    owner, link = begin(walk)
    tell("an update is poison")
    poisoned = begin_poison(walk)
    tell("people write over bad lines")
    senders = send_all(walk, link)
    tell("the database, the worker, the web processes and Valkey go away")
    lose_database_connections(walk)
    kill_sending_worker(walk)
    kill_web_processes(walk)
    lose_broker(walk)
    tell("the owner reads over a bad line")
    fetch_all(walk, owner, senders)
    tell("the owner names, answers, blocks")
    name_and_answer(walk, owner, senders)
    block_and_lift(walk, owner, senders, link=link)
    end_poison(walk, poisoned)
    tell("an operator suspends, the Bot API refuses")
    _judge(walk)
    refuse_sends(walk)


def _judge(walk: Walk) -> None:
    """An operator suspends somebody by their Telegram id and lets go of them."""
    with chapter("an operator acts"):
        person = walk.meet()
        for arguments in _SAFETY:
            output = walk.installation.run_command("safety", *arguments, given=f"{person.id}\n")
            walk.search_output(f"safety {arguments[0]}", output)
            walk.look("while somebody is suspended")
        refused = walk.installation.run_command("safety", "show", given=f"{person.id} and more\n")
        walk.search_output("safety, refused", refused)


def _require_witnesses(walk: Walk) -> None:
    logged = b"".join(
        sample.content for sample in read_files(walk.installation.settings.data_dir) if sample.group == LOGS
    )
    missing = [word for word in _WITNESSES if word.encode() not in logged]
    if not any("outbox" in one for one in walk.heard) or not any("rate:" in one for one in walk.heard):
        missing.append("what is said to Valkey")
    missing += walk.list_unmet_faults()
    if missing:
        reason = f"nothing is shown, since these have not come about: {', '.join(missing)}"
        raise WalkStopped(reason)
