"""A Bot API that refuses, fails, hangs, talks HTML and forgets the token."""

import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Final

from nekonymous_site.fault_lab.lab import PATIENT_SECONDS, Lab
from nekonymous_site.fault_lab.letters import is_notice
from nekonymous_site.fault_lab.scenario import Findings, Scenario
from nekonymous_site.sandbox.people import Person

PAIRS: Final = 6
LETTERS_OF_A_PAIR: Final = 2
STORM_CALLS: Final = 60
# So rarely that five in a row, which would rightly end an answer, meet nobody.
STORM_SHARE: Final = 0.12
# Until the breaker opens, and one that is being made.
MOST_ATTEMPTS: Final = 2
LEAST_TRIES: Final = 10
MOST_REFUSALS_OF_TOKEN: Final = 20
OUTAGE_MINUTES: Final = 60
MINUTE: Final = timedelta(minutes=1)
# Between two made-up minutes the workers have a moment to try.
TRY_SECONDS: Final = 0.15
MOST_FAULTS: Final = 10_000
# A read times out after fifteen seconds.
HANG_SECONDS: Final = 17.0
HEALTHY_CROWD: Final = 1_000
SMALL_CROWD: Final = 30
LETTERS_OF_A_WRITER: Final = 8
_ATTEMPTS: Final = """
    SELECT coalesce(max(attempts), 0) FROM outbox.intent
    WHERE state IN ('pending', 'sending', 'unknown_after_send')
"""
# What is only sent by best effort may be let go.
_ENDED: Final = """
    SELECT count(*) FROM outbox.intent WHERE state = 'dead'
        OR (state = 'failed' AND kind NOT IN ('screen', 'prompt', 'edit', 'progress', 'progress_edit'))
"""

# What a send may meet, and how often in the storm of everything.
_SINGLE_FAULTS: Final = {
    "rate_limited": "429",
    "rate_limited_without_parameters": "429 without parameters",
    "server_error_json": "5xx in JSON",
    "server_error_html": "5xx in HTML",
    "reset_before": "reset before it was done",
    "reset_after": "reset after it was done",
    "ok_html": "200 in HTML",
    "ok_without_result": "ok without a result",
    "unknown_union_in_answer": "an answer with what nobody knows",
    "error_without_details": "an error without details",
}


def scenarios() -> Iterator[Scenario]:
    """One for each way to fail."""
    for fault, words in _SINGLE_FAULTS.items():
        yield Scenario(name=f"Bot API: {words}", play=partial(_play_storm, fault))
    yield Scenario(name="Bot API: hangs", play=_play_hangs)
    for fault in ("server_error_json", "server_error_html", "reset_before"):
        yield Scenario(name=f"Bot API: an hour of {_SINGLE_FAULTS[fault]}", play=partial(_play_hour, fault))
    yield Scenario(name="Bot API: the token is refused", play=_play_token)
    yield Scenario(name="Bot API: one chat always fails", play=_play_one_chat)
    yield Scenario(name="Bot API: holds to its rates", play=_play_rates)


def _play_storm(fault: str, lab: Lab, findings: Findings) -> None:
    """Every third send or so meets the fault, wherever it goes, while people write and read."""
    for _ in range(max(lab.rounds // 10, 1)):
        owners = [lab.owner() for _ in range(PAIRS)]
        lab.await_quiet()
        seed = lab.chance.randrange(2**31)
        lab.sandbox.inject_fault(
            fault, count=STORM_CALLS, probability=STORM_SHARE, seed=seed, retry_after_seconds=1
        )
        lab.sandbox.forget_calls()
        _write_and_ask(lab, owners)
        lab.come_to_rest()
        lab.demand_met(fault, findings)
        lab.sandbox.clear_faults()
        findings.rounds += 1


def _write_and_ask(lab: Lab, owners: list[tuple[Person, str]]) -> None:
    """Somebody new writes to each, who asks at once; nothing is waited for."""
    for recipient, link in owners:
        sender = lab.newcomer("Writer")
        for _ in range(LETTERS_OF_A_PAIR):
            sender.opens(link)
            lab.writes(sender, recipient)
        recipient.says("/inbox")


def _play_hangs(lab: Lab, findings: Findings) -> None:
    for hang in ("hang_then_delivered", "hang_then_not_delivered"):
        recipient, link = lab.owner()
        sender = lab.opens(link)
        lab.writes(sender, recipient)
        recipient.awaits(is_notice, seconds=PATIENT_SECONDS)
        lab.await_quiet()
        lab.sandbox.inject_fault(
            hang, method="sendMessage", chat_id=recipient.id, after=1, hang_seconds=HANG_SECONDS
        )
        lab.sandbox.forget_calls()
        recipient.says("/inbox")
        time.sleep(HANG_SECONDS)
        lab.demand_met(hang, findings)
        findings.rounds += 1


def _play_hour(fault: str, lab: Lab, findings: Findings) -> None:
    """Nothing gets through for an hour, shortened; no attempt is used up and nothing dies."""
    pairs = [lab.owner() for _ in range(PAIRS)]
    senders = [lab.opens(link) for _, link in pairs]
    lab.await_quiet()
    dead_before = lab.count(_ENDED)
    lab.sandbox.inject_fault(fault, count=MOST_FAULTS)
    lab.sandbox.forget_calls()
    for sender, (recipient, _) in zip(senders, pairs, strict=True):
        lab.writes(sender, recipient)
        recipient.says("/inbox")
    for _ in range(OUTAGE_MINUTES):
        lab.pass_waits(MINUTE)
        time.sleep(TRY_SECONDS)
    most, dead = lab.count(_ATTEMPTS), lab.count(_ENDED) - dead_before
    findings.rounds += 1
    findings.demand(dead == 0, otherwise=f"{dead} intents ended in the outage")
    findings.demand(most <= MOST_ATTEMPTS, otherwise=f"{most} attempts of one intent were used up")
    lab.demand_met(fault, findings, least=LEAST_TRIES)
    findings.notes.append(f"most attempts of an intent in that hour: {most}")
    lab.sandbox.clear_faults()


def _play_token(lab: Lab, findings: Findings) -> None:
    """Everything stops, nothing is lost, and it goes on when the token works."""
    recipient, link = lab.owner()
    sender = lab.opens(link)
    lab.await_quiet()
    dead_before = lab.count(_ENDED)
    lab.sandbox.inject_fault("unauthorized", count=MOST_FAULTS)
    lab.sandbox.forget_calls()
    lab.writes(sender, recipient)
    recipient.says("/inbox")
    for _ in range(5):
        time.sleep(0.5)
        lab.pass_waits(MINUTE)
    findings.rounds += 1
    tries = lab.demand_met("unauthorized", findings)
    findings.demand(tries <= MOST_REFUSALS_OF_TOKEN, otherwise=f"{tries} tries with a refused token")
    findings.demand(lab.has_logged("sending_stopped"), otherwise="no log says that sending has stopped")
    findings.demand(lab.count(_ENDED) == dead_before, otherwise="something ended while the token was refused")
    lab.sandbox.clear_faults()
    lab.pass_waits(MINUTE)


def _play_one_chat(lab: Lab, findings: Findings) -> None:
    """A chat that always fails holds up none of the healthy ones, nor opens the breaker for them."""
    unlucky, link = lab.owner()
    writer = lab.opens(link)
    lab.writes(writer, unlucky)
    lab.await_quiet()
    lab.sandbox.inject_fault("server_error_json", chat_id=unlucky.id, count=MOST_FAULTS)
    unlucky.says("/inbox")
    crowd = HEALTHY_CROWD if lab.is_full else SMALL_CROWD
    recipients = _make_owners(lab, crowd)
    started = time.monotonic()
    for number, (recipient, recipients_link) in enumerate(recipients):
        if number % LETTERS_OF_A_WRITER == 0:
            writer = lab.newcomer("Writer")
        writer.opens(recipients_link)
        lab.writes(writer, recipient)
    lab.await_true(
        lambda: all(_is_told(recipient) for recipient, _ in recipients[-PAIRS:]),
        what="notices beside a chat that always fails",
        seconds=PATIENT_SECONDS + crowd / 5,
    )
    findings.rounds += 1
    lab.demand_met("server_error_json", findings)
    findings.notes.append(f"{crowd} healthy chats were told within {time.monotonic() - started:.0f} s")
    lab.sandbox.clear_faults()


def _make_owners(lab: Lab, number: int) -> list[tuple[Person, str]]:
    """Many people with links, all of whom start at once."""
    people = [lab.newcomer("Owner") for _ in range(number)]
    for person in people:
        person.says("/start")
    owners = []
    for person in people:
        seen = person.awaits(
            lambda one: one.find_start_link() is not None, seconds=PATIENT_SECONDS + number / 10
        )
        owners.append((person, str(seen.find_start_link())))
    return owners


def _is_told(recipient: Person) -> bool:
    return any(is_notice(one) for one in recipient.sees())


def _play_rates(lab: Lab, findings: Findings) -> None:
    """The sandbox refuses what comes faster than Telegram takes it."""
    lab.sandbox.enforce_rates()
    try:
        _write_and_ask(lab, [lab.owner() for _ in range(PAIRS)])
        lab.await_quiet()
        for recipient in lab.book.recipients().values():
            recipient.says("/inbox")
        lab.await_quiet()
        refused = sum(lab.sandbox.rates()["refused"].values())
    finally:
        lab.sandbox.enforce_rates(enforced=False)
    findings.rounds += 1
    findings.demand(refused <= PAIRS * LETTERS_OF_A_PAIR, otherwise=f"{refused} calls were too fast")
    findings.notes.append(f"{refused} calls were refused as too fast")
