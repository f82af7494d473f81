"""Updates that come several times, at once, late and in another order."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from nekonymous_site.fault_lab.lab import PATIENT_SECONDS, Lab
from nekonymous_site.fault_lab.letters import Letter, make_text
from nekonymous_site.fault_lab.scenario import Findings, Scenario
from nekonymous_site.sandbox.people import Person, Sent

MOST_COPIES: Final = 5
SENDERS: Final = 4
DELIVERY_FAULTS: Final = ("duplicate_update", "late_update", "reorder_updates")
LATE_SECONDS: Final = 2.0


def scenarios() -> Iterator[Scenario]:
    """Copies at once, then each fault of the way to the bot."""
    yield Scenario(name="updates: one to five copies at once, in any order", play=_play_copies)
    for fault in DELIVERY_FAULTS:
        yield Scenario(name=f"updates: {fault}", play=partial(_play_fault, fault))


def _play_copies(lab: Lab, findings: Findings) -> None:
    for _ in range(lab.rounds):
        recipient, link = lab.owner()
        copies: list[bytes] = []
        for _ in range(SENDERS):
            sender = lab.opens(link)
            letter = lab.writes(sender, recipient)
            copies += [_update_of(sender, letter.sent[0])] * lab.chance.randint(0, MOST_COPIES - 1)
        _post_all(lab, copies, findings)
        lab.await_quiet()
        recipient.says("/inbox")
        _answer_by_gesture(lab, recipient, findings)
        findings.rounds += 1
    lab.come_to_rest()


def _answer_by_gesture(lab: Lab, recipient: Person, findings: Findings) -> None:
    """Reply to what arrives, each reply delivered several times: no closed draft keeps a copy out here."""
    copies: list[bytes] = []
    for letter in lab.book.to(recipient):
        seen = recipient.awaits(letter.text, after=0, seconds=PATIENT_SECONDS)
        words = make_text("answer")
        sent = recipient.says(words, reply_to=seen)
        lab.note(Letter(sender=recipient, recipient=letter.sender, text=words, sent=(sent,)))
        copies += [_update_of(recipient, sent)] * lab.chance.randint(1, MOST_COPIES - 1)
    _post_all(lab, copies, findings)


def _post_all(lab: Lab, copies: list[bytes], findings: Findings) -> None:
    """Post all of them at once, in an order by lot."""
    lab.chance.shuffle(copies)
    posts = lab.direct_posts()
    with ThreadPoolExecutor(MOST_COPIES) as crowd:
        answers = [one for answers in crowd.map(posts.post_until_taken, copies) for one in answers]
    findings.demand(all(one.status in (200, 503) for one in answers), otherwise="a copy was refused")


def _update_of(sender: Person, sent: Sent) -> bytes:
    """The update that the sandbox delivers for a message, to be delivered once more."""
    [message] = [one.raw for one in sender.sees() if one.message_id == sent.message_id]
    return json.dumps({"update_id": sent.update_id, "message": message}).encode()


def _play_fault(fault: str, lab: Lab, findings: Findings) -> None:
    for _ in range(lab.rounds):
        recipient, link = lab.owner()
        sender = lab.opens(link)
        lab.sandbox.inject_fault(fault, late_seconds=LATE_SECONDS, chat_id=sender.id)
        lab.writes(sender, recipient)
        sender.says("/help")
        lab.sandbox.inject_fault(fault, late_seconds=LATE_SECONDS, chat_id=recipient.id)
        recipient.says("/inbox")
        findings.rounds += 1
    lab.come_to_rest()
    findings.demand(not lab.waiting_faults(), otherwise="a fault has met no update")
