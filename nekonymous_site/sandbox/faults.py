"""Faults that a test has asked for, and which call or update each of them meets."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import StrEnum
from random import Random

from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.parameters import Parameters

MAX_FAULT_RULES = 100


class FaultKind(StrEnum):
    """What goes wrong. Those that process the call leave its effect in the chat."""

    RATE_LIMITED = "rate_limited"
    RATE_LIMITED_WITHOUT_PARAMETERS = "rate_limited_without_parameters"
    SERVER_ERROR_JSON = "server_error_json"
    SERVER_ERROR_HTML = "server_error_html"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    CHAT_NOT_FOUND = "chat_not_found"
    FILE_GONE = "file_gone"
    CONTENT_REFUSED = "content_refused"
    ERROR_WITHOUT_DETAILS = "error_without_details"
    RESET_BEFORE = "reset_before"
    HANG_THEN_NOT_DELIVERED = "hang_then_not_delivered"
    # The call is processed, and then:
    OK_HTML = "ok_html"
    RESET_AFTER = "reset_after"
    HANG_THEN_DELIVERED = "hang_then_delivered"
    OK_WITHOUT_RESULT = "ok_without_result"
    JSON_LIST = "json_list"
    UNKNOWN_UNION_IN_ANSWER = "unknown_union_in_answer"
    # On the way to the bot:
    DUPLICATE_UPDATE = "duplicate_update"
    LATE_UPDATE = "late_update"
    REORDER_UPDATES = "reorder_updates"
    # The real server never does this one.
    SWAP_IN_LANE = "swap_in_lane"


DELIVERY_KINDS = frozenset(
    {
        FaultKind.DUPLICATE_UPDATE,
        FaultKind.LATE_UPDATE,
        FaultKind.REORDER_UPDATES,
        FaultKind.SWAP_IN_LANE,
    }
)


@dataclass(slots=True, kw_only=True)
class FaultRule:
    """One kind of fault for the next ``count`` calls or updates that match, after the first ``after``.

    Each that matches is hit with the given ``probability``; with the same ``seed`` the same ones are.
    """

    kind: FaultKind
    count: int = 1
    after: int = 0
    probability: float = 1.0
    seed: int | None = None
    method: str | None = None
    update_kind: str | None = None
    chat_id: int | None = None
    status: int | None = None
    retry_after_seconds: int = 3
    hang_seconds: float = 30.0
    # How long an update is held back at most.
    late_seconds: float = 5.0
    _random: Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = Random(self.seed)  # noqa: S311 - chance, not a secret

    def matches_call(self, method: str, parameters: Parameters) -> bool:
        """Whether this call is meant."""
        if self.kind in DELIVERY_KINDS or (self.method or method).lower() != method.lower():
            return False
        return self.chat_id is None or parameters.integer("chat_id") == self.chat_id

    def matches_update(self, update_kind: str, chat_id: int | None) -> bool:
        """Whether this update is meant."""
        if self.kind not in DELIVERY_KINDS or (self.update_kind or update_kind) != update_kind:
            return False
        return self.chat_id is None or chat_id == self.chat_id

    def strikes(self) -> bool:
        """Decide about one that matches, and count it."""
        if self.after > 0:
            self.after -= 1
            return False
        if self._random.random() >= self.probability:
            return False
        self.count -= 1
        return True

    def as_json(self) -> JsonObject:
        """The rule as it was asked for, with what is left of its counts."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.init}


class FaultRules:
    """The rules in force; each call or update meets the first rule that strikes."""

    def __init__(self) -> None:
        self._rules: list[FaultRule] = []

    def add(self, rule: FaultRule) -> None:
        """Put a rule behind the others; the oldest one goes when there are too many."""
        self._rules.append(rule)
        del self._rules[:-MAX_FAULT_RULES]

    def take(self, method: str, parameters: Parameters) -> FaultRule | None:
        """Find the rule that meets this call and count it down."""
        return self._take(lambda rule: rule.matches_call(method, parameters))

    def take_for_update(self, update_kind: str, chat_id: int | None) -> FaultRule | None:
        """Find the rule that meets this new update and count it down."""
        return self._take(lambda rule: rule.matches_update(update_kind, chat_id))

    def as_json(self) -> list[JsonObject]:
        """The rules that still wait for a call or an update."""
        return [rule.as_json() for rule in self._rules]

    def clear(self) -> None:
        """Let everything work again."""
        self._rules.clear()

    def _take(self, is_meant: Callable[[FaultRule], bool]) -> FaultRule | None:
        struck = next((rule for rule in self._rules if is_meant(rule) and rule.strikes()), None)
        self._rules = [rule for rule in self._rules if rule.count > 0]
        return struck
