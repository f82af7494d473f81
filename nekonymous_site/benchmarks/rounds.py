"""Rounds in turn, accept, floor, accept, floor, and what they have shown together."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from nekonymous_site.benchmarks.accept_benchmark import AcceptBenchmark, AcceptRound
from nekonymous_site.benchmarks.accept_recording import AcceptRecording
from nekonymous_site.benchmarks.floor_benchmark import FloorBenchmark, FloorRound


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPlan:
    """How much is measured: so many messages a round, so many rounds with each number of clients."""

    clients: tuple[int, ...]
    messages: int
    rounds: int

    @property
    def warm_up_messages(self) -> int:
        """Enough for every connection to have prepared its statements."""
        return min(self.messages, 400)

    def messages_of(self, clients: int) -> int:
        """As many for each client."""
        return max(self.messages // clients, 1) * clients


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The median of some rounds, with the lowest and the highest."""

    median: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> "Spread":
        return cls(median=statistics.median(figures), lowest=min(figures), highest=max(figures))


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Everything measured with one number of clients; without accepts where only the floor was asked for."""

    clients: int
    floors: tuple[FloorRound, ...]
    accepts: tuple[AcceptRound, ...] = ()
    bare_per_second: float | None = field(default=None)

    @property
    def floor_speed(self) -> Spread:
        return Spread.of([floor.per_second for floor in self.floors])

    @property
    def accept_speed(self) -> Spread:
        return Spread.of([accept.per_second for accept in self.accepts])

    @property
    def ratio(self) -> Spread:
        """Accept to floor, each round to the one behind it."""
        return Spread.of(
            [
                accept.per_second / floor.per_second
                for accept, floor in zip(self.accepts, self.floors, strict=True)
            ]
        )


def measure_floor(recording: AcceptRecording, plan: RoundPlan) -> Iterator[Level]:
    """Run the floor alone, level by level."""
    floor = FloorBenchmark(recording)
    floor.warm_up(clients=max(plan.clients), transactions=plan.warm_up_messages)
    for clients in plan.clients:
        messages = plan.messages_of(clients)
        floors = [floor.measure(clients=clients, transactions=messages) for _ in range(plan.rounds)]
        yield Level(clients=clients, floors=tuple(floors))


def measure_accepts(accept: AcceptBenchmark, recording: AcceptRecording, plan: RoundPlan) -> Iterator[Level]:
    """Run accept and floor in turn, level by level."""
    floor = FloorBenchmark(recording)
    # The floor first: it compares counters, which the web process hands in late.
    floor.warm_up(clients=max(plan.clients), transactions=plan.warm_up_messages)
    accept.measure(clients=max(plan.clients), messages=plan.warm_up_messages)
    for clients in plan.clients:
        messages = plan.messages_of(clients)
        bare = accept.measure_bare_answer(clients=clients, requests=messages)
        pairs = [
            (
                accept.measure(clients=clients, messages=messages),
                floor.measure(clients=clients, transactions=messages),
            )
            for _ in range(plan.rounds)
        ]
        accepts, floors = zip(*pairs, strict=True)
        yield Level(clients=clients, floors=floors, accepts=accepts, bare_per_second=bare)
