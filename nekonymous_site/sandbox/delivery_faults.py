"""Faults on the way to the bot: updates that come twice, late, or before those they should follow."""

import time
from collections import deque

from nekonymous_site.sandbox.faults import FaultKind, FaultRule, FaultRules
from nekonymous_site.sandbox.pending_updates import PendingUpdate


class DeliveryFaults:
    """Applies the rules to new updates and remembers which ones are held back."""

    def __init__(self, rules: FaultRules) -> None:
        self._rules = rules
        self._held: list[PendingUpdate] = []

    def meet(
        self, update: PendingUpdate, *, kind: str, chat_id: int | None, lane: deque[PendingUpdate]
    ) -> None:
        """Let a new update, the last of its lane, complete a swap or meet the first rule that matches."""
        self._forget_released()
        if self.is_lane_held(update.lane):
            # A poller may confirm what other lanes got meanwhile; this one must not get lost by it.
            update.ignores_offset = True
        waiting = next((one for one in self._held if _is_swapped_by(one, update, chat_id)), None)
        if waiting is not None:
            _swap(waiting, update, lane=lane)
        elif (rule := self._rules.take_for_update(kind, chat_id)) is not None:
            self._apply(rule, update)

    def is_lane_held(self, lane: str) -> bool:
        """Whether something in this lane is held back."""
        return any(one.lane == lane and one.seconds_held() > 0 for one in self._held)

    def note_acknowledged(self, update: PendingUpdate) -> None:
        """Release what should come after this one."""
        for one in self._held:
            if one.waits_for == update.sequence:
                one.release()
        self._forget_released()

    def restore(self, update: PendingUpdate) -> None:
        """Remember an update of an earlier run that is still held back."""
        if update.seconds_held() > 0:
            self._held.append(update)

    def seconds_until_release(self) -> float | None:
        """When the next one that is held back may go, None if none is."""
        self._forget_released()
        return min((one.seconds_held() for one in self._held), default=None)

    def clear(self) -> None:
        """Forget all, as when the updates are dropped."""
        self._held.clear()

    def _apply(self, rule: FaultRule, update: PendingUpdate) -> None:
        if rule.kind is FaultKind.DUPLICATE_UPDATE:
            update.is_doubled = True
            return
        update.held_until = time.time() + rule.late_seconds
        update.ignores_offset = True
        if rule.kind is not FaultKind.LATE_UPDATE:
            update.swap, update.swap_chat_id = rule.kind.value, rule.chat_id
        self._held.append(update)

    def _forget_released(self) -> None:
        self._held = [one for one in self._held if one.seconds_held() > 0]


def _is_swapped_by(waiting: PendingUpdate, update: PendingUpdate, chat_id: int | None) -> bool:
    if waiting.swap is None or waiting.swap_chat_id not in {None, chat_id}:
        return False
    wants_same_lane = waiting.swap == FaultKind.SWAP_IN_LANE
    return (waiting.lane == update.lane) is wants_same_lane


def _swap(waiting: PendingUpdate, update: PendingUpdate, *, lane: deque[PendingUpdate]) -> None:
    """Let the earlier one wait for the later one; in one lane they change places besides."""
    if waiting.lane == update.lane:
        lane.remove(update)
        lane.insert(lane.index(waiting), update)
        waiting.sequence, update.sequence = update.sequence, waiting.sequence
    waiting.swap = None
    waiting.waits_for = update.sequence
