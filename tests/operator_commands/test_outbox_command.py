"""`outbox` as an operator uses it: dead letters are counted, sent after all or dropped, and never shown."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from bystanders import pump_beside_others
from command_runs import run_command, run_process
from redis_places import RedisPlace
from stored_rows import change_rows, intent_states, read_rows, read_value
from town import Town, count

from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.canaries.marks import Mark, find_kinds, make_mark
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import ChatId
from nekonymous_site.sandbox.people import Person

TEXT = "I liked your talk."
SENT = "✅"


def _dead_acknowledgement(town: Town, name: str = "Alice") -> Person:
    """Somebody's message was taken, and the answer that says so could not be sent."""
    _, link = town.owner()
    person = town.person(name)
    person.opens(link)
    town.settle()
    person.says(TEXT)
    town.take_updates()
    town.sandbox.inject_fault("server_error_json", method="sendMessage", chat_id=person.id, count=5)
    pump_beside_others()
    assert "dead" in intent_states("acknowledgement")
    return person


def _handles(number: int = 8) -> list[str]:
    rows = read_rows("SELECT encode(intent_id, 'hex') FROM outbox.intent WHERE state = 'dead' ORDER BY 1")
    return [str(intent_id)[:number] for (intent_id,) in rows]


def _confirmed(person: Person) -> int:
    return sum(message.from_bot and message.text.startswith(SENT) for message in person.sees())


def _copy_letters(number: int) -> None:
    """Let there be more dead letters, which do not open: their seals belong to another id."""
    change_rows(
        """
        INSERT INTO outbox.intent (intent_id, intent_tag, kind, lane_class, state, attempts, body, created_on)
        SELECT decode(md5(random()::text), 'hex'), decode(md5(random()::text), 'hex'), kind, lane_class,
            state, attempts, body, created_on - n %% 3
        FROM outbox.intent, generate_series(1, %s) AS n WHERE state = 'dead'
        """,
        [number],
    )


def _marks(person: Person) -> Iterator[Mark]:
    """What no line of the command may hold."""
    yield make_mark("text", TEXT)
    yield make_mark("chat", str(person.id))
    yield make_mark("lane", blind_tags.lane_tag(ChatId(person.id)).hex())
    for number, (account_id,) in enumerate(read_rows("SELECT account_id FROM accounts.account")):
        assert isinstance(account_id, bytes)
        yield make_mark(f"account {number}", account_id.hex())
    for (tag,) in read_rows("SELECT intent_tag FROM outbox.intent"):
        assert isinstance(tag, bytes)
        yield make_mark("tag", tag.hex())


def test_without_dead_letters_there_is_nothing_to_tell(town: Town) -> None:
    town.owner()
    assert run_command("outbox", "list").said == "dead letters: 0"
    told = json.loads(run_command("outbox", "list", "--json").said)
    assert told == {"total": 0, "counts": [], "rows": [], "more": 0}
    for action in ("replay", "drop"):
        assert run_command("outbox", action, "--all").code == 0


def test_the_list_counts_by_kind_and_age_and_shows_nobody(town: Town) -> None:
    alice = _dead_acknowledgement(town)
    change_rows("UPDATE outbox.intent SET created_on = current_date - 4 WHERE state = 'dead'")
    day = read_value("SELECT (current_date - 4)::text")
    [handle] = _handles()
    told = run_command("outbox", "list")
    assert told.said.splitlines() == [
        "dead letters: 1",
        "",
        "kind             age days  letters",
        "acknowledgement  4         1",
        "",
        "handle    kind             day",
        f"{handle}  acknowledgement  {day}",
    ]
    in_json = run_command("outbox", "list", "--json")
    assert json.loads(in_json.said) == {
        "total": 1,
        "counts": [{"kind": "acknowledgement", "age_days": 4, "letters": 1}],
        "rows": [{"handle": handle, "kind": "acknowledgement", "day": day}],
        "more": 0,
    }
    marks = list(_marks(alice))
    assert find_kinds(told.everything + in_json.everything, marks=marks) == []
    assert run_command("outbox", "list", "--kind", "question").said == "dead letters: 0"


def test_a_letter_is_sent_after_all_and_only_once(town: Town) -> None:
    alice = _dead_acknowledgement(town)
    [handle] = _handles()
    assert _confirmed(alice) == 0
    change_rows("UPDATE outbox.intent SET possible_repeat = true WHERE state = 'dead'")
    replayed = run_command("outbox", "replay", handle)
    assert (replayed.code, replayed.said) == (0, "1 replayed")
    assert read_rows(
        "SELECT attempts, possible_repeat, not_before FROM outbox.intent WHERE state = 'pending'"
    ) == [(0, True, None)]
    pump_due_lanes()
    town.pump()
    assert _confirmed(alice) == 1
    again = run_command("outbox", "replay", handle)
    assert (again.code, again.said.splitlines()[0]) == (1, "0 replayed")
    town.pump()
    assert _confirmed(alice) == 1
    assert find_kinds(replayed.everything + again.everything, marks=list(_marks(alice))) == []


def test_a_letter_goes_behind_what_waits_and_has_all_its_attempts_again(town: Town) -> None:
    alice = _dead_acknowledgement(town)
    alice.says("/help")
    town.take_updates()
    assert run_command("outbox", "replay", "--kind", "acknowledgement").code == 0
    rows = read_rows("SELECT kind FROM outbox.intent WHERE state = 'pending' ORDER BY lane_class, position")
    assert [kind for (kind,) in rows][-1] == "acknowledgement"
    town.sandbox.inject_fault("server_error_json", method="sendMessage", chat_id=alice.id, count=100)
    pump_beside_others()
    assert read_rows("SELECT attempts FROM outbox.intent WHERE state = 'dead'") == [(5,)]


def test_what_does_not_open_is_told_and_stays(town: Town) -> None:
    alice = _dead_acknowledgement(town)
    _copy_letters(2)
    change_rows(
        """
        UPDATE outbox.intent SET body = set_byte(body, 1, 99) WHERE intent_id = (
            SELECT intent_id FROM outbox.intent WHERE state = 'dead' ORDER BY created_on LIMIT 1)
        """
    )
    run = run_command("outbox", "replay", "--all", "--json")
    told = json.loads(run.said)
    assert (run.code, told["replayed"], told["more"]) == (1, 1, 0)
    assert sorted(entry["why"] for entry in told["not_replayed"]) == ["key_missing", "unreadable"]
    assert sorted(entry["handle"] for entry in told["not_replayed"]) == _handles()
    assert count("outbox.intent", "state = 'dead' AND body IS NOT NULL") == 2
    town.pump()
    assert _confirmed(alice) == 1


def test_a_long_list_is_cut_and_worked_through_all_the_same(town: Town) -> None:
    alice = _dead_acknowledgement(town)
    _copy_letters(250)
    listed = run_command("outbox", "list")
    assert listed.said.splitlines()[0] == "dead letters: 251"
    assert listed.said.splitlines()[-1] == "and 151 more"
    assert len(json.loads(run_command("outbox", "list", "--json").said)["rows"]) == 100
    replayed = run_command("outbox", "replay", "--all", "--json")
    told = json.loads(replayed.said)
    assert (replayed.code, told["replayed"], len(told["not_replayed"]), told["more"]) == (1, 1, 100, 150)
    dropped = run_command("outbox", "drop", "--all")
    assert (dropped.code, dropped.said) == (0, "250 dropped")
    assert intent_states("acknowledgement").count("dead") == 0
    town.pump()
    assert _confirmed(alice) == 1, "what was replayed is not dropped"


def test_letters_are_dropped_by_handle_and_kind(town: Town) -> None:
    _dead_acknowledgement(town)
    _copy_letters(3)
    first, second, *_ = _handles()
    run = run_command("outbox", "drop", first, second.upper(), "ffff", "--json")
    assert json.loads(run.said) == {
        "dropped": 2,
        "not_dropped": [{"handle": "ffff", "why": "gone"}],
        "more": 0,
    }
    assert run.code == 1
    assert run_command("outbox", "drop", "--kind", "question").said == "0 dropped"
    assert run_command("outbox", "drop", "--kind", "acknowledgement").said == "2 dropped"
    assert _handles() == []


def test_a_handle_that_names_two_is_refused_before_anything_is_done(town: Town) -> None:
    _dead_acknowledgement(town)
    _copy_letters(2)
    ids = [bytes.fromhex(f"abcd{number}" + "0" * 27) for number in (1, 2)]
    for intent_id, old in zip(ids, _handles(32), strict=False):
        change_rows(
            "UPDATE outbox.intent SET intent_id = %s WHERE intent_id = %s", [intent_id, bytes.fromhex(old)]
        )
    other = next(handle for handle in _handles() if not handle.startswith("abcd"))
    refused = run_command("outbox", "drop", other, "abcd")
    assert refused.code == 2
    assert all(intent_id.hex() in refused.complained for intent_id in ids)
    assert len(_handles()) == 3
    assert run_command("outbox", "drop", "abcd1").said == "1 dropped"


@pytest.mark.parametrize(
    "arguments",
    [
        ("replay",),
        ("drop",),
        ("drop", "abcd", "--all"),
        ("replay", "--all", "--kind", "notice"),
        ("list", "abcd"),
        ("list", "--all"),
        ("replay", "abc"),
        ("replay", "a%b_c*"),
        ("drop", "x" * 8),
        ("drop", "a" * 33),
    ],
)
def test_what_makes_no_sense_is_refused(town: Town, arguments: tuple[str, ...]) -> None:
    _dead_acknowledgement(town)
    assert run_command("outbox", *arguments).code == 2
    assert len(_handles()) == 1


def test_a_real_process_answers_with_codes_and_tells_nobodys_name(lasting_town: Town) -> None:
    alice = _dead_acknowledgement(lasting_town)
    [handle] = _handles()
    runs = [
        run_process("outbox", "list"),
        run_process("outbox", "replay", handle),
        run_process("outbox", "replay", handle, "--json"),
        run_process("outbox", "show"),
        run_process("outbox", "drop", "--kind", "nothing"),
        run_process("outbox", "list", DATABASE_URL="postgresql://neko@127.0.0.1:1/nowhere"),
    ]
    assert [run.code for run in runs] == [0, 0, 1, 2, 2, 1]
    assert handle in runs[0].said
    assert runs[1].said == "1 replayed"
    assert json.loads(runs[2].said)["replayed"] == 0
    assert all("Traceback" not in run.complained for run in runs)
    told = b"".join(run.everything for run in runs)
    assert find_kinds(told, marks=list(_marks(alice))) == []
    lasting_town.pump()
    assert _confirmed(alice) == 1


def test_a_replay_rings_before_its_process_ends(lasting_town: Town, tmp_path: Path) -> None:
    _dead_acknowledgement(lasting_town)
    place = RedisPlace(tmp_path)
    place.start()
    try:
        assert run_process("outbox", "replay", "--all", REDIS_URL=place.url).said == "1 replayed"
        with redis.Redis.from_url(place.url) as broker:
            assert broker.llen("outbox") == 1
        place.hang()
        change_rows(
            """
            UPDATE outbox.intent SET state = 'dead', lane_tag = NULL, position = NULL
            WHERE state = 'pending'
            """
        )
        assert run_process("outbox", "replay", "--all", REDIS_URL=place.url).said == "1 replayed"
    finally:
        place.end()
