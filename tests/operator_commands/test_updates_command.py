"""`updates` as an operator uses it: parked updates are counted, taken after all, dropped, and never shown."""

import json
import signal
import subprocess
from collections.abc import Iterator

import pytest
from command_runs import run_command, run_process, start_process
from django.db import OperationalError
from encounters import Encounter
from poison_scenes import (
    POISON,
    broken_messages,
    park_a_message,
    parked_handles,
)
from stored_rows import change_rows, read_rows, read_value
from town import Town, count
from update_calls import as_second

import outbox.services
from nekonymous_site.canaries.marks import Mark, find_kinds, make_mark
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.sandbox.people import Person


def _marks(*people: Person) -> Iterator[Mark]:
    """What no line of the command may hold."""
    yield make_mark("text", POISON)
    for person in people:
        yield make_mark(f"chat of {person.id}", str(person.id))
    for number, (actor_hash,) in enumerate(read_rows("SELECT actor_hash FROM accounts.account")):
        assert isinstance(actor_hash, bytes)
        yield make_mark(f"actor {number}", actor_hash.hex())


def _confirmed(person: Person) -> int:
    return sum(message.from_bot and message.text.startswith("✅") for message in person.sees())


def _park(raw: bytes) -> None:
    with durable_transaction() as pipeline:
        outbox.services.queue_update_parked(pipeline, raw)


def test_the_list_counts_by_age_and_size_and_shows_nobody(town: Town) -> None:
    assert run_command("updates", "list").said == "parked updates: 0"
    people = park_a_message(town)[:2]
    change_rows("UPDATE outbox.parked_update SET parked_on = current_date - 2")
    _park(b'{"update_id": 1, "padding": "' + b"x" * 6000 + b'"}')
    [large] = read_rows(
        "SELECT left(encode(parked_id, 'hex'), 8), parked_on::text FROM outbox.parked_update "
        "WHERE parked_on = current_date"
    )
    [small] = read_rows(
        "SELECT left(encode(parked_id, 'hex'), 8), parked_on::text FROM outbox.parked_update "
        "WHERE parked_on < current_date"
    )
    told = run_command("updates", "list")
    assert told.said.splitlines() == [
        "parked updates: 2",
        "",
        "age days  padded bytes  updates",
        "0         8192          1",
        "2         4096          1",
        "",
        "handle    day         padded bytes",
        f"{small[0]}  {small[1]}  4096",
        f"{large[0]}  {large[1]}  8192",
    ]
    in_json = run_command("updates", "list", "--json")
    assert json.loads(in_json.said)["total"] == 2
    assert find_kinds(told.everything + in_json.everything, marks=list(_marks(*people))) == []


def test_a_message_is_taken_after_all_and_only_once(town: Town) -> None:
    alice, bob, _ = park_a_message(town)
    [handle] = parked_handles()
    replayed = run_command("updates", "replay", handle)
    assert (replayed.code, replayed.said) == (0, "1 replayed")
    assert parked_handles() == []
    town.settle()
    assert _confirmed(alice) == 1, "the apology does not stand in the way of what is said now"
    again = run_command("updates", "replay", handle, "--json")
    assert (again.code, json.loads(again.said)) == (
        1,
        {"replayed": 0, "not_replayed": [{"handle": handle, "why": "gone"}], "more": 0},
    )
    assert count("tickets.ticket") == 1
    bob.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [POISON]
    assert find_kinds(replayed.everything + again.everything, marks=list(_marks(alice, bob))) == []


def test_what_fails_again_stays_whole_and_holds_up_nothing(
    town: Town, capsys: pytest.CaptureFixture[str]
) -> None:
    alice, _, _ = park_a_message(town)
    _park(b'{"update_id": 77}')
    seen = len(alice.sees())
    with broken_messages():
        run = run_command("updates", "replay", "--all")
    assert run.code == 1
    assert run.said.splitlines() == ["1 replayed", f"{parked_handles()[0]}  it failed again and stays"]
    town.settle()
    assert (len(alice.sees()), count("tickets.ticket"), len(parked_handles())) == (seen, 0, 1)
    assert read_value("SELECT failures FROM outbox.update_failure") == 3
    logged = capsys.readouterr().err
    assert "replay_failed" in logged
    assert find_kinds(run.everything + logged.encode(), marks=list(_marks(alice))) == []
    assert run_command("updates", "replay", "--all").said == "1 replayed"
    town.settle()
    assert _confirmed(alice) == count("tickets.ticket") == 1


def test_trouble_of_ours_is_told_apart_from_the_updates_own(town: Town) -> None:
    park_a_message(town)
    with broken_messages(OperationalError("the database is starting up")):
        run = run_command("updates", "replay", "--all", "--json")
    assert (run.code, json.loads(run.said)["not_replayed"][0]["why"]) == (1, "postponed")
    assert len(parked_handles()) == 1


def test_what_does_not_open_is_told_and_stays(town: Town) -> None:
    park_a_message(town)
    _park(b'{"update_id": 78}')
    _park(b'{"update_id": 79}')
    [spoilt, keyless] = read_rows(
        "SELECT parked_id FROM outbox.parked_update ORDER BY octet_length(body), parked_id LIMIT 2"
    )
    for byte, value, (parked_id,) in ((40, 0, spoilt), (1, 99, keyless)):
        assert isinstance(parked_id, bytes)
        change_rows(
            """
            UPDATE outbox.parked_update SET body = set_byte(body, %s, (get_byte(body, %s) # 1) # %s)
            WHERE parked_id = %s
            """,
            [byte, byte, value, parked_id],
        )
    run = run_command("updates", "replay", "--all", "--json")
    told = json.loads(run.said)
    assert (run.code, told["replayed"]) == (1, 1)
    assert sorted(entry["why"] for entry in told["not_replayed"]) == ["key_missing", "unreadable"]
    assert len(parked_handles()) == 2


@pytest.mark.parametrize(
    "raw",
    [
        b"no JSON",
        b'{"update_id": 5, "message": {"message_id": 1, "date": 1, "chat": {"id": -7, "type": "group"}}}',
    ],
)
def test_what_is_nobodys_is_done_with(town: Town, raw: bytes) -> None:
    _park(raw)
    assert run_command("updates", "replay", "--all").said == "1 replayed"
    assert parked_handles() == []
    assert count("accounts.account") == 0


def test_updates_are_dropped(town: Town) -> None:
    alice, _, _ = park_a_message(town)
    for number in range(120):
        _park(b'{"update_id": %d}' % number)
    assert run_command("updates", "list").said.splitlines()[-1] == "and 21 more"
    [first, *_] = parked_handles()
    assert run_command("updates", "drop", first).said == "1 dropped"
    run = run_command("updates", "drop", "--all")
    assert (run.code, run.said, run.complained) == (0, "120 dropped", "100 dropped so far")
    assert parked_handles() == []
    town.settle()
    assert _confirmed(alice) == 0


@pytest.mark.parametrize(
    "arguments", [("replay",), ("drop", "abcd", "--all"), ("list", "abcd"), ("drop", "g000")]
)
def test_what_makes_no_sense_is_refused(town: Town, arguments: tuple[str, ...]) -> None:
    park_a_message(town)
    assert run_command("updates", *arguments).code == 2
    assert len(parked_handles()) == 1


def test_a_real_process_takes_an_update_and_tells_nobodys_name(lasting_town: Town) -> None:
    alice, bob, _ = park_a_message(lasting_town)
    [handle] = parked_handles()
    runs = [
        run_process("updates", "list"),
        run_process("updates", "replay", handle[:6]),
        run_process("updates", "replay", handle),
        run_process("updates", "replay", "--kind", "ticket"),
    ]
    assert [run.code for run in runs] == [0, 0, 1, 2]
    assert handle in runs[0].said
    assert runs[1].said == "1 replayed"
    assert all("Traceback" not in run.complained for run in runs)
    assert find_kinds(b"".join(run.everything for run in runs), marks=list(_marks(alice, bob))) == []
    lasting_town.settle()
    assert _confirmed(alice) == count("tickets.ticket") == 1


def test_a_replay_that_is_killed_before_its_end_has_changed_nothing(lasting_town: Town) -> None:
    """It is held where the ticket is made and only the commit is to come: at its sender's lane."""
    alice, _, _ = park_a_message(lasting_town)
    encounter = Encounter()
    started: list[subprocess.Popen[str]] = []

    def hold_and_kill() -> None:
        with durable_transaction() as pipeline:
            assert pipeline.queue("SELECT 1 FROM outbox.lane FOR UPDATE", read=len).value
            encounter.here()
            started[0].kill()
            started[0].wait(timeout=30)

    def replay() -> int:
        started.append(start_process("updates", "replay", "--all"))
        started[0].communicate(timeout=30)
        return started[0].returncode

    assert encounter.run(hold_and_kill, as_second(encounter, replay)) == [None, -signal.SIGKILL]
    assert len(parked_handles()) == 1
    assert count("tickets.ticket") == count("accounts.unread") == 0
    assert run_command("updates", "replay", "--all").said == "1 replayed"
    lasting_town.settle()
    assert _confirmed(alice) == count("tickets.ticket") == 1
