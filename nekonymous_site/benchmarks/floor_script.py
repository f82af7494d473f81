"""From recorded accepts to a script for pgbench: the same statements, the same turns, values of its own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from nekonymous_site.benchmarks.accept_recording import AcceptRecording
from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.floor_values import FloorValue, Owner, find_values
from nekonymous_site.benchmarks.wire_recorder import Turn

_PLACE = re.compile(r"\$(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorScript:
    """What pgbench runs, the constants that it is given by name, and the values that differ by owner."""

    text: str
    constants: dict[str, str] = field(repr=False)
    values: tuple[FloorValue, ...] = field(repr=False)


def write_floor_script(recording: AcceptRecording, *, recipients: int) -> FloorScript:
    """Write the recorded accept as a script. Transactions of all clients are numbered 0, 1, 2, … in turn."""
    writer = _ScriptWriter()
    lines = [
        "\\set turn :turn + 1",
        "\\set n :turn * :clients + :client_id",
        f"\\set recipient :n % {recipients}",
        "\\set sender :n",
    ]
    for turn, values in zip(recording.first, find_values(recording), strict=True):
        lines += writer.write_turn(turn, values)
    varied = tuple(value for value in writer.values if value.owner)
    if not any(value.owner is Owner.MESSAGE for value in varied):
        raise BenchmarkFailed("nothing in an accept is new each time")
    return FloorScript(text="\n".join(lines) + "\n", constants=writer.constants, values=varied)


class _ScriptWriter:
    def __init__(self) -> None:
        self.constants: dict[str, str] = {}
        self.values: list[FloorValue] = []

    def write_turn(self, turn: Turn, values: list[list[FloorValue | None]]) -> Iterator[str]:
        """One turn on the wire is one statement, or one pipeline."""
        statements = [
            _PLACE.sub(lambda place: self._term(of_statement[int(place[1]) - 1]), sent.sql).strip() + ";"  # noqa: B023 - used at once
            for sent, of_statement in zip(turn, values, strict=True)
        ]
        if len(statements) == 1:
            yield from statements
        elif statements:
            yield "\\startpipeline"
            yield from statements
            yield "\\endpipeline"

    def _term(self, value: FloorValue | None) -> str:
        if value is None:
            return "NULL"
        self.values.append(value)
        if value.owner is not None:
            return value.expression(f":{value.owner.value}::int8")
        name = self._name_constant(value.constant())
        return f":{name}::{value.type_name}" if value.type_name else f":{name}"

    def _name_constant(self, text: str) -> str:
        for name, known in self.constants.items():
            if known == text:
                return name
        name = f"constant_{len(self.constants)}"
        self.constants[name] = text
        return name
