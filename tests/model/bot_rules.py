"""What the bot's workers do in a random history, one step at a time, and what befalls them."""

from collections.abc import Callable
from functools import partial

import pytest
from history_world import FAULTS, World
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from inbox_reference import Message
from slow_worker import SlowWorker, begin_turn
from stored_rows import change_rows, expire_leases
from town import hurry_lanes
from watched_line import WatchedCall

import stats.services
from nekonymous_site.bot import lane_pump
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.workflows.mix_inboxes import mix_inboxes
from nekonymous_site.workflows.purge_expired import purge_expired

PLACE = st.integers(0, 30)
MOST_WORKERS = 2


def run_in_transaction(work: Callable[[StatementPipeline], object]) -> None:
    with durable_transaction() as pipeline:
        work(pipeline)


def put_expiry_behind(message: Message) -> None:
    """Let the month of a message be over."""
    change_rows(
        "UPDATE tickets.ticket SET expires_on = current_date - 1 WHERE ticket_hash = %s",
        [message.ticket_hash],
    )
    change_rows(
        "UPDATE accounts.unread SET expires_on = current_date - 1 WHERE dedupe_tag = %s",
        [message.dedupe_tag],
    )


def pump_once() -> None:
    """Send one thing, as a worker does that is stopped behind it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lane_pump, "MOST_STEPS", 1)
        pump_due_lanes()


class BotRules(RuleBasedStateMachine):
    """The workers' steps. What the line says of a message is written down as it happens.

    No rule has a precondition: the product draws lots, so a history may go otherwise when it is repeated.
    """

    world: World
    workers: list[SlowWorker]

    @rule()
    def make_notices_or_deliveries(self) -> None:
        self.world.town.notify()
        self.world.town.drain()

    @rule(most=st.sampled_from([1, 1, 2, 5]))
    def pump(self, most: int) -> None:
        """Send a few of the things that are due."""
        for _ in range(most):
            hurry_lanes()
            pump_once()
        self.note_calls()

    @rule()
    def let_workers_run(self) -> None:
        """Let everything be taken, drained and tried once."""
        while self.world.waiting:
            self.world.take_waiting(0)
        self.make_notices_or_deliveries()
        hurry_lanes()
        pump_due_lanes()
        self.note_calls()

    @rule(
        kind=st.sampled_from(FAULTS),
        person=st.sampled_from([None, 0, 1, 2]),
        count=st.sampled_from([1, 1, 2, 6]),
        after=st.integers(0, 1),
    )
    def break_next_call(self, kind: str, person: int | None, count: int, after: int) -> None:
        self.world.break_calls(kind, person=person, count=count, after=after)

    @rule(place=st.integers(0, MOST_WORKERS - 1))
    def slow_worker_goes_on(self, place: int) -> None:
        """Let a worker take its next step: begin, call, or record."""
        if place >= len(self.workers):
            self._begin_slow_turn()
        elif self.workers[place].may_call:
            self._call(self.workers[place])
        else:
            self._record(self.workers.pop(place))

    @rule(calls_late=st.booleans())
    def stop_worker_for_long(self, *, calls_late: bool) -> None:
        """Stop a worker before or behind its call until others have gone on; then it wakes up."""
        worker = self._begin_slow_turn()
        if worker is None:
            return
        if worker.may_call and not calls_late:
            self._call(worker)
        self.let_leases_pass(dies=False)
        self.pump(most=2)
        if worker.may_call:
            self._call(worker)
        self.workers.remove(worker)
        self._record(worker)

    @rule(dies=st.booleans())
    def let_leases_pass(self, *, dies: bool) -> None:
        expire_leases()
        for worker in self.workers:
            if not worker.is_overtaken:
                worker.is_overtaken = True
                self._note_overtaken(worker)
        if dies and self.workers:
            self.workers.pop()

    @rule(what=st.sampled_from(["mend", "purge", "mix", "fold", "expire", "redeliver"]), place=PLACE)
    def keep_house(self, what: str, place: int) -> None:
        """Let one of the things happen that happen now and then."""
        match what:
            case "mend":
                self.world.town.sandbox.clear_faults()
            case "purge":
                run_in_transaction(purge_expired)
            case "mix":
                run_in_transaction(mix_inboxes)
            case "fold":
                run_in_transaction(partial(stats.services.queue_events_folded, limit=5))
            case "expire":
                self._expire(place)
            case "redeliver":
                self.world.take_again(place)

    def _expire(self, place: int) -> None:
        accepted = self.world.reference.accepted()
        if place < len(accepted):
            accepted[place].is_expired = True
            put_expiry_behind(accepted[place])
            run_in_transaction(purge_expired)

    def note_calls(self) -> None:
        """Write down what the pump has been told of each message."""
        for call in self.world.line.take_calls():
            message = self.world.reference.find(call.text)
            if message is not None:
                assert call.is_marked is bool(message.nobody_knew), "a mark too many or too few"
                message.nobody_knew += call.is_unknown
                message.is_confirmed |= call.is_sent
            self._note_answer(call, is_late=False)

    def _begin_slow_turn(self) -> SlowWorker | None:
        hurry_lanes()
        worker = begin_turn()
        if worker is None:
            return None
        self.workers.append(worker)
        message = self.world.reference.find(worker.text)
        if message is not None:
            assert worker.is_marked is bool(message.nobody_knew), "a mark too many or too few"
        return worker

    def _call(self, worker: SlowWorker) -> None:
        worker.call()
        for call in self.world.line.take_calls():
            message = self.world.reference.find(call.text)
            if message is not None:
                message.nobody_knew += call.is_unknown
                message.is_out_of_turn |= worker.is_overtaken
            self._note_answer(call, is_late=worker.is_overtaken)

    def _record(self, worker: SlowWorker) -> None:
        is_recorded = worker.record()
        assert is_recorded is not worker.is_overtaken, "a lease that has passed decides nothing"
        message = self.world.reference.find(worker.text)
        if message is not None and is_recorded and worker.is_sent:
            message.is_confirmed = True

    def _note_answer(self, call: WatchedCall, *, is_late: bool) -> None:
        answered = self._find_answered(call.text, chat_id=call.chat_id, message_id=call.answers)
        if answered is not None:
            answered.answer_unknown += call.is_unknown
            answered.answer_out_of_turn |= is_late

    def _note_overtaken(self, worker: SlowWorker) -> None:
        message = self.world.reference.find(worker.text)
        if message is not None:
            message.nobody_knew += 1
        answered = self._find_answered(worker.text, chat_id=worker.chat_id, message_id=worker.answers)
        if answered is not None:
            answered.answer_unknown += 1

    def _find_answered(self, text: object, *, chat_id: int | None, message_id: int | None) -> Message | None:
        """Find the message that a call answers to its sender; a delivered answer is no such call."""
        reference = self.world.reference
        if chat_id is None or message_id is None or reference.find(text) is not None:
            return None
        return reference.find_written(self.world.number_of(chat_id), message_id=message_id)
