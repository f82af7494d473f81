"""What breaks from outside while somebody acts, so that errors with values in them are really raised."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
import redis

from nekonymous_site.canaries.installation import WalkStopped, make_word, wait_for
from nekonymous_site.canaries.process_table import kill_web_workers, kill_worker
from nekonymous_site.canaries.walk import PATIENT_SECONDS, Walk, chapter
from nekonymous_site.sandbox.people import Person

VALKEY_STOPPED_SECONDS: Final = 1.5
HANG_SECONDS: Final = 4.0
_INTAKE_WAITS: Final = """
    SELECT pid FROM pg_locks WHERE relation = 'outbox.update_receipt'::regclass AND NOT granted
"""
POISON_ZONE: Final = "Asia/Kabul"
_POISON: Final = "canaries_poison"


def begin_poison(walk: Walk) -> Person:
    """Let the database refuse one person's name with an error that quotes the row, update after update."""
    with chapter("an update is poison"):
        person = walk.meet()
        person.says("/settings")
        settings = person.awaits(lambda seen: seen.has_button("st:name"), seconds=PATIENT_SECONDS)
        person.awaits_toast(person.taps_data(settings, f"st:zone:{POISON_ZONE}"), seconds=PATIENT_SECONDS)
        person.taps_data(settings, "st:name")
        person.awaits("/cancel", seconds=PATIENT_SECONDS)
        with psycopg.connect(walk.installation.database_url, autocommit=True) as connection:
            connection.execute(
                f"ALTER TABLE accounts.account ADD CONSTRAINT {_POISON}"
                f" CHECK (display_name IS NULL OR time_zone <> '{POISON_ZONE}') NOT VALID"
            )
        person.says(walk.mark("poison text", make_word("poison")))
    return person


def end_poison(walk: Walk, person: Person) -> None:
    """Wait until the update has been set aside, replay it in vain, let names be set again, and replay it."""
    with chapter("a poison update is set aside"):
        try:
            wait_for(lambda: walk.count("SELECT count(*) FROM outbox.parked_update"), what="a parked update")
            person.awaits(lambda _seen: True, seconds=PATIENT_SECONDS)
            walk.look("while an update is parked")
            _replay_parked(walk, expected=b"it failed again")
        finally:
            with psycopg.connect(walk.installation.database_url, autocommit=True) as connection:
                connection.execute(f"ALTER TABLE accounts.account DROP CONSTRAINT {_POISON}")
        _replay_parked(walk, expected=b" replayed")
        wait_for(lambda: not walk.count("SELECT count(*) FROM outbox.parked_update"), what="a replay")


def _replay_parked(walk: Walk, *, expected: bytes) -> None:
    """Let an operator look at what is set aside and replay it, and search what the commands print."""
    for command in ("outbox", "updates"):
        walk.search_output(f"{command} list", walk.installation.run_command(command, "list", given=""))
    output = walk.installation.run_command("updates", "replay", "--all", given="")
    walk.search_output("updates replay", output)
    if expected not in output:
        reason = "a parked update was not replayed as it should be"
        raise WalkStopped(reason)


def lose_database_connections(walk: Walk) -> None:
    """Take the database away from a web process in the middle of an update."""
    with chapter("a web process loses the database"):
        _act_while_intake_waits(walk, lambda pids: _terminate(walk, pids))


def kill_web_processes(walk: Walk) -> None:
    """Kill the serving processes in the middle of an update."""
    with chapter("the web processes are killed"):

        def kill(_pids: list[int]) -> None:
            if not kill_web_workers(walk.installation.settings.data_dir):
                raise WalkStopped("no web process was found")

        _act_while_intake_waits(walk, kill)


def kill_sending_worker(walk: Walk) -> None:
    """Kill the worker while it waits for the Bot API's answer to a send."""
    with chapter("the worker is killed"):
        person = walk.meet()
        walk.sandbox.inject_fault(
            "hang_then_delivered", method="sendMessage", chat_id=person.id, hang_seconds=HANG_SECONDS
        )
        person.says("/help " + walk.mark("text", make_word("while a worker dies")))
        wait_for(
            lambda: any(call["fault"] == "hang_then_delivered" for call in walk.sandbox.calls("sendMessage")),
            what="a send that hangs",
        )
        if not kill_worker(walk.installation.settings.data_dir):
            raise WalkStopped("no worker was found")
        walk.look("after a worker was killed")
        walk.installation.bring_back("worker")


def lose_broker(walk: Walk) -> None:
    """Break all connections to Valkey and, where it is ours, let it answer nobody for a moment."""
    with chapter("Valkey goes away"):
        with redis.Redis.from_url(walk.installation.redis_url) as client:
            number = str(client.client_info()["db"])
            process = int(client.info("server")["process_id"])
            for one in client.client_list():
                if one["db"] == number and one["cmd"] != "monitor":
                    client.client_kill_filter(_id=one["id"], skipme=True)
        if walk.installation.has_own_servers:
            with _stopped(process):
                walk.meet().says(walk.mark("text", make_word("while nothing counts")))
                time.sleep(VALKEY_STOPPED_SECONDS)


def refuse_sends(walk: Walk) -> None:
    """Let the Bot API refuse a person, a chat and, where nobody else is served, the token."""
    with chapter("the Bot API refuses"):
        faults = ["forbidden", "chat_not_found"]
        if walk.installation.has_own_servers:
            faults.append("unauthorized")  # parks everything for a minute
        for fault in faults:
            person = walk.meet()
            walk.break_next(fault, person)
            person.says(walk.mark("text", make_word("to be refused")))
            wait_for(
                lambda fault=fault: any(call["fault"] == fault for call in walk.sandbox.calls()),  # type: ignore[misc]
                what="a refused send",
            )


def _act_while_intake_waits(walk: Walk, act: Callable[[list[int]], None]) -> None:
    """Hold the table that every update is noted in, act as soon as one waits for it, and let go."""
    person = walk.meet()
    with psycopg.connect(walk.installation.database_url) as connection:
        connection.execute("LOCK TABLE outbox.update_receipt IN ACCESS EXCLUSIVE MODE")
        person.says("/help " + walk.mark("text", make_word("in the middle")))
        wait_for(lambda: _waiting(walk), what="an update that waits for the database")
        act(_waiting(walk))
    person.awaits(lambda _seen: True, seconds=PATIENT_SECONDS)


def _waiting(walk: Walk) -> list[int]:
    with psycopg.connect(walk.installation.database_url) as connection:
        return [row[0] for row in connection.execute(_INTAKE_WAITS)]


def _terminate(walk: Walk, pids: list[int]) -> None:
    with psycopg.connect(walk.installation.database_url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS pid", [pids])


@contextmanager
def _stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)
