"""What is shown of a benchmark, as lines for people and as JSON."""

from collections.abc import Iterator, Mapping
from typing import Any

from nekonymous_site.benchmarks.accept_recording import AcceptRecording
from nekonymous_site.benchmarks.load_generator import LoadFigures, quantiles_ms
from nekonymous_site.benchmarks.rounds import Level, Spread


def describe_recording(recording: AcceptRecording) -> str:
    return (
        f"one accept, on the wire: {recording.statements} statements in {recording.turns} turns, "
        f"{recording.commits} commit; rows (+ new, ~ changed, - gone): {recording.row_changes}"
    )


def recording_json(recording: AcceptRecording) -> dict[str, Any]:
    rows = {
        table: {"inserted": inserted, "updated": updated, "deleted": deleted}
        for table, inserted, updated, deleted in sorted(recording.row_changes.of_tables)
    }
    return {
        "statements": recording.statements,
        "turns": recording.turns,
        "commits": recording.commits,
        "rows": rows,
    }


def describe_durability(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def describe_level(level: Level) -> Iterator[str]:
    """A line for each thing measured with this number of clients."""
    if level.accepts:
        p50, p95, p99 = quantiles_ms(_durations(level))
        yield (
            f"{level.clients:>3} clients  accept {_speed(level.accept_speed)}  "
            f"p50 {p50:.1f}  p95 {p95:.1f}  p99 {p99:.1f} ms  "
            f"refused {_refused(level)}  messages {_messages(level)}  tickets {_tickets(level)}  "
            f"WAL {_accept_wal(level):,.0f} bytes each"
        )
    average = sum(floor.average_ms for floor in level.floors) / len(level.floors)
    yield (
        f"{level.clients:>3} clients  floor  {_speed(level.floor_speed)}  average {average:.1f} ms  "
        f"WAL {_floor_wal(level):,.0f} bytes each"
    )
    if level.bare_per_second is not None:
        ratio = level.ratio
        yield (
            f"{level.clients:>3} clients  accept/floor x{ratio.median:.2f} "
            f"(x{ratio.lowest:.2f} to x{ratio.highest:.2f}); "
            f"generator reaches {level.bare_per_second:.0f}/s on a bare answer"
        )


def level_json(level: Level) -> dict[str, Any]:
    """The same as numbers."""
    floor = {"per_second": _spread_json(level.floor_speed), "wal_bytes": _floor_wal(level)}
    if not level.accepts:
        return {"clients": level.clients, "floor": floor}
    p50, p95, p99 = quantiles_ms(_durations(level))
    accept = {
        "per_second": _spread_json(level.accept_speed),
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "messages": _messages(level),
        "tickets": _tickets(level),
        "refused": _refused(level),
        "wal_bytes": _accept_wal(level),
    }
    return {
        "clients": level.clients,
        "accept": accept,
        "floor": floor,
        "ratio": _spread_json(level.ratio),
        "bare_per_second": level.bare_per_second,
    }


def describe_server(name: str, figures: LoadFigures, *, first: float) -> str:
    p50, p95, p99 = quantiles_ms(figures.durations)
    return (
        f"{name:<36} {figures.per_second:7.0f}/s  x{figures.per_second / first:4.2f}  "
        f"p50 {p50:6.1f}  p95 {p95:6.1f}  p99 {p99:6.1f} ms  refused {figures.refused}"
    )


def server_json(name: str, figures: LoadFigures) -> dict[str, Any]:
    p50, p95, p99 = quantiles_ms(figures.durations)
    speed = {"per_second": figures.per_second, "p50_ms": p50, "p95_ms": p95, "p99_ms": p99}
    return {"server": name, **speed, "refused": figures.refused}


def _durations(level: Level) -> list[float]:
    return [duration for accept in level.accepts for duration in accept.durations]


def _messages(level: Level) -> int:
    return sum(accept.messages for accept in level.accepts)


def _tickets(level: Level) -> int:
    return sum(accept.tickets for accept in level.accepts)


def _refused(level: Level) -> int:
    return sum(accept.refused for accept in level.accepts)


def _accept_wal(level: Level) -> float:
    return sum(accept.wal_bytes for accept in level.accepts) / _messages(level)


def _floor_wal(level: Level) -> float:
    return sum(floor.wal_bytes for floor in level.floors) / sum(floor.transactions for floor in level.floors)


def _speed(spread: Spread) -> str:
    return f"{spread.median:.0f}/s ({spread.lowest:.0f} to {spread.highest:.0f})"


def _spread_json(spread: Spread) -> dict[str, float]:
    return {"median": spread.median, "lowest": spread.lowest, "highest": spread.highest}
