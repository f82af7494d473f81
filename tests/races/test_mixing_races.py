"""Waiting rows are mixed while somebody fetches them or takes one back: none is lost or left over."""

from collections.abc import Callable

import pytest
from encounters import Encounter, hold_after
from plane_people import new_account, new_withdraw_tag
from stored_rows import read_rows, read_value
from town import count

import accounts.inbox
import accounts.services
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId, UnreadWithdrawTag
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.workflows.mix_inboxes import mix_inboxes

pytestmark = pytest.mark.django_db(transaction=True)

Work = Callable[[], object]


def _mix() -> int:
    with durable_transaction() as pipeline:
        return mix_inboxes(pipeline)


def _inbox() -> tuple[AccountId, list[UnreadWithdrawTag]]:
    account_id = new_account()
    tags = [new_withdraw_tag() for _ in range(3)]
    with durable_transaction() as pipeline:
        accounts.services.queue_inbox_lock(pipeline, account_id)
        for tag in tags:
            accounts.inbox.queue_unread(pipeline, account_id, capability=Capability.new(), withdraw_tag=tag)
    return account_id, tags


def _take(account_id: AccountId) -> int:
    with durable_transaction() as pipeline:
        accounts.services.queue_inbox_lock(pipeline, account_id)
        return len(
            accounts.inbox.queue_waiting_taken(pipeline, account_id, attempt_id=bytes(15) + b"1").value
        )


def _take_back(tag: UnreadWithdrawTag) -> None:
    with durable_transaction() as pipeline:
        accounts.inbox.queue_unread_withdrawn(pipeline, tag)


def _second(encounter: Encounter, work: Work) -> Work:
    def run() -> object:
        assert encounter.was_reached()
        return work()

    return run


def _put_in_anew(pipeline: StatementPipeline, unread_ids: list[bytes]) -> None:
    """What moves a row as well, and would be wrong: it is another row then."""
    pipeline.queue_write(
        """
        WITH gone AS (DELETE FROM accounts.unread WHERE unread_id = ANY(%s) RETURNING *)
        INSERT INTO accounts.unread SELECT * FROM gone
        """,
        [unread_ids],
    )


@pytest.mark.parametrize("is_updated", [True, False])
def test_who_fetches_waits_for_the_mixing_and_gets_all(
    monkeypatch: pytest.MonkeyPatch, *, is_updated: bool
) -> None:
    """Without the guard, which is that rows stay what they are, whoever waited finds none."""
    account_id, _ = _inbox()
    encounter = Encounter()
    with monkeypatch.context() as held:
        if not is_updated:
            held.setattr(accounts.inbox, "queue_rewritten", _put_in_anew)
        hold_after(encounter, held, accounts.inbox, "queue_waiting_drawn")
        mixed, taken = encounter.run(_mix, _second(encounter, lambda: _take(account_id)))

    assert mixed == 3
    assert taken == (3 if is_updated else 0)
    assert count("accounts.unread") == 3


@pytest.mark.parametrize("is_updated", [True, False])
def test_who_takes_back_waits_for_the_mixing_and_does(
    monkeypatch: pytest.MonkeyPatch, *, is_updated: bool
) -> None:
    _, tags = _inbox()
    encounter = Encounter()
    with monkeypatch.context() as held:
        if not is_updated:
            held.setattr(accounts.inbox, "queue_rewritten", _put_in_anew)
        hold_after(encounter, held, accounts.inbox, "queue_waiting_drawn")
        encounter.run(_mix, _second(encounter, lambda: _take_back(tags[1])))

    assert count("accounts.unread") == (2 if is_updated else 3)


def test_mixing_passes_over_what_is_being_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    account_id, _ = _inbox()
    others, _ = _inbox()
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.inbox, "queue_waiting_taken")
        taken, mixed = encounter.run(lambda: _take(account_id), _second(encounter, _mix))

    assert [taken, mixed] == [3, 3]
    assert read_value("SELECT count(*) FROM accounts.unread WHERE state = 'sending'") == 3
    assert read_rows("SELECT DISTINCT account_id FROM accounts.unread WHERE state = 'waiting'") == [(others,)]


def test_two_mixings_share_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    _inbox()
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.inbox, "queue_waiting_drawn")
        mixed = encounter.run(_mix, _mix)

    assert sorted(str(number) for number in mixed) == ["0", "3"]
    assert count("accounts.unread") == 3
