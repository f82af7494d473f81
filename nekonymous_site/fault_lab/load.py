"""People who keep writing while something breaks, and how long each of their updates took."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from nekonymous_site.fault_lab.direct_posts import DirectPosts, Posted
from nekonymous_site.fault_lab.lab import Lab
from nekonymous_site.fault_lab.letters import Letter, make_text
from nekonymous_site.sandbox.people import Person

WRITERS: Final = 4
FEW_WRITERS: Final = 2
LETTERS_OF_A_WRITER: Final = 8  # below every rate of one person
PAUSE_SECONDS: Final = 0.3
MOST_LETTERS: Final = 600
LETTERS_OF_A_RECIPIENT: Final = 40  # an inbox takes fifty


@dataclass(slots=True, kw_only=True)
class Load:
    """What was posted while it ran."""

    answers: list[Posted] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)

    def describe_failures(self) -> Iterator[str]:
        """What kept writers from writing on."""
        yield from (f"a writer failed: {type(one).__name__}" for one in self.failures)

    def taken_seconds(self) -> list[float]:
        """How long each taken update took, in order of length."""
        return sorted(one.seconds for one in self.answers if one.status == 200)

    def p99_milliseconds(self) -> float:
        """The slowest but one in a hundred."""
        taken = self.taken_seconds()
        return taken[min(len(taken) * 99 // 100, len(taken) - 1)] * 1000 if taken else 0.0

    def count(self, status: int) -> int:
        """How many answers had this status."""
        return sum(one.status == status for one in self.answers)


@contextmanager
def load(lab: Lab, *, recipients: int = 10) -> Iterator[Load]:
    """Let people write to new recipients for the length of a block; all letters are expected to arrive."""
    owners = [lab.owner() for _ in range(recipients)]
    running, stopping = Load(), threading.Event()
    posts = lab.direct_posts()
    threads = [
        threading.Thread(
            target=_write_on, args=[lab, posts, owners, running], kwargs={"first": n, "stopping": stopping}
        )
        for n in range(_writers(lab))
    ]
    for thread in threads:
        thread.start()
    try:
        yield running
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
        for letter in running.letters:
            lab.note(letter)


def _write_on(
    lab: Lab,
    posts: DirectPosts,
    owners: list[tuple[Person, str]],
    running: Load,
    *,
    first: int,
    stopping: threading.Event,
) -> None:
    number = first
    try:
        while not stopping.is_set() and number < min(MOST_LETTERS, LETTERS_OF_A_RECIPIENT * len(owners)):
            if (number // _writers(lab)) % LETTERS_OF_A_WRITER == 0:
                writer = lab.newcomer("Writer")
                writer.says("/help")  # whom the bot may write to has written to it
            recipient, link = owners[number % len(owners)]
            text = make_text("load")
            answers = posts.post_until_taken(
                posts.make_message(writer, f"/start {link.partition('start=')[2]}")
            )
            answers += posts.post_until_taken(posts.make_message(writer, text))
            running.answers.extend(answers)
            running.letters.append(Letter(sender=writer, recipient=recipient, text=text, sent=()))
            number += _writers(lab)
            time.sleep(PAUSE_SECONDS)
    except BaseException as error:  # noqa: BLE001 - told to the scenario
        running.failures.append(error)


def _writers(lab: Lab) -> int:
    return WRITERS if lab.is_full else FEW_WRITERS
