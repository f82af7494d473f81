"""One durable transaction: whole or not at all, never inside another, and alive after a broken connection."""

import psycopg
import pytest
from django.db import DataError, IntegrityError, OperationalError, connection, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from stored_rows import read_rows, read_value

import outbox.services
from nekonymous_site import pipeline as pipeline_module
from nekonymous_site.pipeline import StatementPipeline, durable_transaction, has_something_to_read
from tests.sandbox.sandbox_process import await_that

pytestmark = pytest.mark.django_db(transaction=True)


def _receive(pipeline: StatementPipeline, update_id: int) -> None:
    outbox.services.queue_receipt(pipeline, bot_id=1, update_id=update_id)


def _received() -> list[tuple[object, ...]]:
    return read_rows("SELECT update_id FROM outbox.update_receipt ORDER BY 1")


def _nest() -> None:
    with durable_transaction():
        pass


def test_it_refuses_to_be_nested_and_the_outer_one_goes_on() -> None:
    with durable_transaction() as pipeline:
        _receive(pipeline, 1)
        with pytest.raises(RuntimeError, match="durable"):
            _nest()
        _receive(pipeline, 2)
    assert _received() == [(1,), (2,)]


def test_it_refuses_to_run_inside_a_plain_transaction() -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        _nest()


def test_what_is_queued_is_committed_without_any_answer_being_read() -> None:
    with durable_transaction() as pipeline:
        for update_id in range(300):
            _receive(pipeline, update_id)
    assert len(_received()) == 300


def test_answers_can_be_read_in_any_order_and_twice() -> None:
    with durable_transaction() as pipeline:
        answers = [
            pipeline.queue("SELECT %s::int", [number], read=lambda rows: rows[0][0]) for number in range(5)
        ]
        assert [answer.value for answer in reversed(answers)] == [4, 3, 2, 1, 0]
        assert [answer.value for answer in answers] == [0, 1, 2, 3, 4]


def _fail_after(*update_ids: int, read_answer: bool) -> None:
    with durable_transaction() as pipeline:
        for update_id in update_ids:
            answer = outbox.services.queue_receipt(pipeline, bot_id=1, update_id=update_id)
            if read_answer:
                assert answer.value
        raise ZeroDivisionError


@pytest.mark.parametrize("read_answer", [True, False])
def test_an_error_of_ours_takes_everything_back(*, read_answer: bool) -> None:
    with pytest.raises(ZeroDivisionError):
        _fail_after(1, 2, read_answer=read_answer)
    assert _received() == []
    assert not connection.in_atomic_block


def _write_nonsense(pipeline: StatementPipeline) -> None:
    pipeline.queue_write("INSERT INTO outbox.send_pace (scope) VALUES ('all'), ('all')")


def _read_behind_a_failed_write(*, read_answer: bool) -> None:
    with durable_transaction() as pipeline:
        _receive(pipeline, 1)
        _write_nonsense(pipeline)
        answer = outbox.services.queue_receipt(pipeline, bot_id=1, update_id=2)
        if read_answer:
            assert answer.value, "never comes so far"


@pytest.mark.parametrize("read_answer", [True, False])
def test_a_statement_that_fails_unread_takes_everything_back_by_its_own_name(*, read_answer: bool) -> None:
    with pytest.raises(IntegrityError, match="send_pace_pkey"):
        _read_behind_a_failed_write(read_answer=read_answer)
    assert _received() == []
    with durable_transaction() as pipeline:
        _receive(pipeline, 3)
    assert _received() == [(3,)]


def _fail_twice() -> None:
    with durable_transaction() as pipeline:
        _receive(pipeline, 1)
        _write_nonsense(pipeline)
        raise ZeroDivisionError


def test_our_own_error_is_told_even_when_a_statement_failed_before_it() -> None:
    with pytest.raises(ZeroDivisionError):
        _fail_twice()
    assert _received() == []
    with durable_transaction() as pipeline:
        _receive(pipeline, 3)
    assert _received() == [(3,)]


def _queue_a_number_too_large() -> None:
    with durable_transaction() as pipeline:
        _receive(pipeline, 2**63)


def test_errors_of_the_driver_become_errors_of_django() -> None:
    with pytest.raises(DataError):
        _queue_a_number_too_large()


def _other_connection() -> psycopg.Connection[tuple[object, ...]]:
    place = connection.settings_dict
    return psycopg.connect(
        host=place["HOST"],
        port=place["PORT"],
        user=place["USER"],
        password=place["PASSWORD"],
        dbname=place["NAME"],
        autocommit=True,
    )


def _break_connection() -> None:
    """End this thread's server process from another connection, as a restart of Postgres does."""
    backend = read_value("SELECT pg_backend_pid()")
    with _other_connection() as other:
        gone = other.execute("SELECT pg_terminate_backend(%s, 5000)", [backend]).fetchone()
        assert gone == (True,)


def test_a_connection_that_broke_between_two_uses_is_made_anew() -> None:
    for update_id in (1, 2):
        with durable_transaction() as pipeline:
            _receive(pipeline, update_id)
        _break_connection()
    with durable_transaction() as pipeline:
        _receive(pipeline, 3)
    assert _received() == [(1,), (2,), (3,)]


def _break_inside() -> None:
    with durable_transaction() as pipeline:
        outbox.services.queue_receipt(pipeline, bot_id=1, update_id=1).value  # noqa: B018 - it has been written
        _break_connection()
        _receive(pipeline, 2)


def test_a_connection_that_breaks_inside_takes_everything_back_and_the_next_one_works() -> None:
    with pytest.raises(OperationalError):
        _break_inside()
    with durable_transaction() as pipeline:
        _receive(pipeline, 3)
    assert _received() == [(3,)]


def test_what_was_to_happen_after_commit_happens_then_or_never() -> None:
    heard: list[str] = []
    with durable_transaction() as pipeline:
        transaction.on_commit(lambda: heard.append("committed"))
        _receive(pipeline, 1)
        assert heard == []
    assert heard == ["committed"]
    with pytest.raises(IntegrityError):
        _ring_and_fail(heard)
    assert heard == ["committed"]


def _ring_and_fail(heard: list[str]) -> None:
    with durable_transaction() as pipeline:
        transaction.on_commit(lambda: heard.append("never"))
        _write_nonsense(pipeline)


def _count_checks(monkeypatch: pytest.MonkeyPatch) -> int:
    """Commit once; tells how often the server was asked for it whether it is still there."""
    checks: list[bool] = []
    is_usable = DatabaseWrapper.is_usable

    def check(wrapper: DatabaseWrapper) -> bool:
        checks.append(is_usable(wrapper))
        return checks[-1]

    with monkeypatch.context() as counted:
        counted.setattr(DatabaseWrapper, "is_usable", check)
        with durable_transaction() as pipeline:
            pipeline.queue_write("SELECT 1")
    return len(checks)


def test_a_connection_that_has_just_committed_is_not_asked_whether_it_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _count_checks(monkeypatch)
    assert _count_checks(monkeypatch) == 0
    monkeypatch.setattr(pipeline_module, "PROVEN_SECONDS", 0.0)
    assert _count_checks(monkeypatch) == 1


def test_a_connection_on_which_something_was_said_meanwhile_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with connection.cursor() as cursor:
        cursor.execute("LISTEN somebody")
    _count_checks(monkeypatch)
    with _other_connection() as other:
        other.execute("NOTIFY somebody")
    await_that(lambda: has_something_to_read(connection.connection), what="the word of the server")
    assert _count_checks(monkeypatch) == 1


def test_a_connection_made_anew_is_not_taken_for_the_one_that_committed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _count_checks(monkeypatch)
    connection.close()
    connection.ensure_connection()
    assert _count_checks(monkeypatch) == 1
