"""Random histories of a small town: any act, step and fault in any order, checked after each."""

from bot_rules import BotRules
from history_checks import check_chats, check_rest, check_tables
from history_world import FAULTS, World
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant
from people_rules import PeopleRules
from slow_worker import SlowWorker
from town import count, hurry_lanes
from typing_extensions import override

from nekonymous_site.bot.lane_pump import pump_due_lanes

MOST_ROUNDS = 60
MOST_REQUESTS = 4


class HistoryMachine(PeopleRules, BotRules):
    """One history. In the end everything is mended, everybody comes back and asks until nothing waits."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.away: set[int] = set()
        self.workers: list[SlowWorker] = []
        world.begin()

    @initialize(deliveries=st.integers(0, 2), fault=st.sampled_from([None, *FAULTS]))
    def begin_with_some_messages(self, *, deliveries: int, fault: str | None) -> None:
        """Let three messages wait for one person, who may have asked for them already."""
        for sender, step in ((1, 2), (2, 1), (1, 2)):
            self.write(sender=sender, step=step, deliveries=1)
        self.ask_for_inbox(owner=0, deliveries=deliveries, by_button=False)
        self.world.town.drain()
        if fault is not None:
            self.world.break_calls(fault, person=0, count=2)

    @invariant()
    def tables_agree(self) -> None:
        self.world.steps += 1
        check_tables(self.world)

    @override
    def teardown(self) -> None:
        self.come_to_rest()

    def come_to_rest(self) -> None:
        """Mend everything, let everybody come back and ask until nothing waits, and check what is left."""
        self.world.town.sandbox.clear_faults()
        if not all(worker.is_overtaken for worker in self.workers):
            self.let_leases_pass(dies=False)
        for number in sorted(self.away):
            self.leave_or_return(number)
        while self.world.waiting:
            self.world.take_waiting(0)
        self._settle()
        for _ in range(MOST_REQUESTS):
            if not count("accounts.unread"):
                break
            for number in range(len(self.world.people)):
                self.ask_for_inbox(owner=number, deliveries=1, by_button=False)
            while self.world.waiting:
                self.world.take_waiting(0)
            self._settle()
        check_tables(self.world)
        check_chats(self.world)
        check_rest(self.world)

    def _settle(self) -> None:
        for _ in range(MOST_ROUNDS):
            busy = bool(self.world.town.notify())
            while self.world.town.drain():
                busy = True
            hurry_lanes()
            busy |= bool(pump_due_lanes().handled)
            self.note_calls()
            check_tables(self.world)
            if not busy:
                return
        raise AssertionError("the outbox does not come to rest")
