"""Faults that a test has asked for, and which call each of them meets."""

from dataclasses import asdict, dataclass
from enum import StrEnum

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
    RESET_BEFORE = "reset_before"
    # The call is processed, and then:
    OK_HTML = "ok_html"
    RESET_AFTER = "reset_after"
    HANG_THEN_DELIVERED = "hang_then_delivered"
    OK_WITHOUT_RESULT = "ok_without_result"
    UNKNOWN_UNION_IN_ANSWER = "unknown_union_in_answer"


@dataclass(slots=True, kw_only=True)
class FaultRule:
    """One kind of fault for the next ``count`` calls that match."""

    kind: FaultKind
    count: int = 1
    method: str | None = None
    chat_id: int | None = None
    retry_after_seconds: int = 3
    hang_seconds: float = 30.0

    def matches(self, method: str, parameters: Parameters) -> bool:
        """Whether this call is meant."""
        if self.method is not None and self.method.lower() != method.lower():
            return False
        return self.chat_id is None or parameters.integer("chat_id") == self.chat_id

    def as_json(self) -> JsonObject:
        """The rule as it was asked for, with what is left of its count."""
        return asdict(self)


class FaultRules:
    """The rules in force; for each call the first that matches is used up by one."""

    def __init__(self) -> None:
        self._rules: list[FaultRule] = []

    def add(self, rule: FaultRule) -> None:
        """Put a rule behind the others; the oldest one goes when there are too many."""
        self._rules.append(rule)
        del self._rules[:-MAX_FAULT_RULES]

    def take(self, method: str, parameters: Parameters) -> FaultRule | None:
        """Find the rule that meets this call and count it down."""
        rule = next((rule for rule in self._rules if rule.matches(method, parameters)), None)
        if rule is not None:
            rule.count -= 1
            self._rules = [rule for rule in self._rules if rule.count > 0]
        return rule

    def as_json(self) -> list[JsonObject]:
        """The rules that still wait for a call."""
        return [rule.as_json() for rule in self._rules]

    def clear(self) -> None:
        """Let everything work again."""
        self._rules.clear()
