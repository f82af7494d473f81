"""Updates on their way to the bot, in one queue per chat and kind."""

import itertools
import json
import secrets
import time
from collections import deque

from nekonymous_site.sandbox.delivery_faults import DeliveryFaults
from nekonymous_site.sandbox.faults import FaultRules
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.pending_updates import PendingUpdate, chat_id_of, lane_of, read_raw_update
from nekonymous_site.sandbox.pulse import Pulse

MAX_PENDING_UPDATES = 10_000
_UPDATES_KEPT_FOR_REPEATS = 1_000
_MESSAGE_LIFETIME_SECONDS = 24 * 3600.0
_CALLBACK_LIFETIME_SECONDS = 150.0
# Kinds a bot gets only when it asks for them by name.
_KINDS_OFF_BY_DEFAULT = frozenset({"message_reaction", "message_reaction_count", "chat_member"})


class UpdateQueueFull(Exception):
    """The bot takes no updates and too many are waiting already."""


class UpdateUnknown(Exception):
    """No update with this id was made lately."""


class UpdateQueue:
    """Pending updates by lane. Each lane keeps its order; lanes know nothing of each other."""

    def __init__(self, *, changed: Pulse, faults: FaultRules | None = None) -> None:
        self.next_update_id = 100_000_000 + secrets.randbelow(800_000_000)
        self.allowed_updates: list[str] | None = None
        self._changed = changed
        self._faults = DeliveryFaults(faults or FaultRules())
        self._next_sequence = 0
        self._lanes: dict[str, deque[PendingUpdate]] = {}
        self._recent: dict[int, PendingUpdate] = {}

    def add(self, kind: str, content: JsonObject) -> int | None:
        """Queue an update; returns its id, or None for a kind not asked for. Raises UpdateQueueFull."""
        if not self._is_allowed(kind):
            return None
        update_id = self.next_update_id
        body = json.dumps({"update_id": update_id, kind: content}, ensure_ascii=False)
        lifetime = _CALLBACK_LIFETIME_SECONDS if kind == "callback_query" else _MESSAGE_LIFETIME_SECONDS
        update = self._append(update_id, lane=lane_of(kind, content), body=body, lifetime_seconds=lifetime)
        self.next_update_id += 1
        lane = self._lanes[update.lane]
        self._faults.meet(update, kind=kind, chat_id=chat_id_of(content), lane=lane)
        self._remember(update)
        return update_id

    def add_raw(self, body: str) -> int:
        """Queue a body as it is. Uses its own ``update_id`` if it has one. Raises UpdateQueueFull."""
        update_id, lane = read_raw_update(body)
        if update_id is None:
            update_id = self.next_update_id
            self.next_update_id += 1
        update = self._append(update_id, lane=lane, body=body, lifetime_seconds=_MESSAGE_LIFETIME_SECONDS)
        update.ignores_offset = True
        self._remember(update)
        return update_id

    def repeat(self, update_id: int) -> None:
        """Queue an earlier update once more, under its own id. Raises UpdateUnknown, UpdateQueueFull."""
        earlier = self._recent.get(update_id)
        if earlier is None:
            raise UpdateUnknown
        again = self._append(
            update_id, lane=earlier.lane, body=earlier.body, lifetime_seconds=_MESSAGE_LIFETIME_SECONDS
        )
        again.ignores_offset = True

    def require_room(self, *, updates: int = 1) -> None:
        """Raise UpdateQueueFull if so many cannot be queued now."""
        if self.count() + updates > MAX_PENDING_UPDATES:
            raise UpdateQueueFull

    def count(self) -> int:
        """How many updates wait."""
        return sum(len(lane) for lane in self._lanes.values())

    def lanes(self) -> list[str]:
        """The lanes in which something waits."""
        return list(self._lanes)

    def head_of(self, lane: str) -> PendingUpdate | None:
        """The lane's oldest update that has not expired."""
        while (waiting := self._lanes.get(lane)) and waiting[0].expires_at < time.time():
            self.remove(waiting[0])
        return waiting[0] if waiting else None

    def in_order(self) -> list[PendingUpdate]:
        """All waiting updates in the order they were made; expired ones are dropped."""
        for lane in self.lanes():
            self.head_of(lane)
        return sorted(
            (update for lane in self._lanes.values() for update in lane), key=lambda update: update.sequence
        )

    def due_in_order(self) -> list[PendingUpdate]:
        """As in_order, without those that a fault holds back and those that wait behind them."""
        due: list[PendingUpdate] = []
        for lane in self.lanes():
            self.head_of(lane)
            waiting = self._lanes.get(lane, ())
            due += itertools.takewhile(lambda update: update.seconds_held() <= 0, waiting)
        return sorted(due, key=lambda update: update.sequence)

    def seconds_until_release(self) -> float | None:
        """When the next update that a fault holds back is due, None if there is none."""
        return self._faults.seconds_until_release()

    def confirm_below(self, offset: int) -> None:
        """Forget what the poller has confirmed by asking from this offset on."""
        for update in self.in_order():
            if update.update_id < offset and not update.ignores_offset:
                self.acknowledge(update)

    def acknowledge(self, update: PendingUpdate) -> None:
        """Forget an update that the bot has taken; repeatable."""
        is_first_time = update in self._lanes.get(update.lane, ())
        self.remove(update)
        self._faults.note_acknowledged(update)
        if update.is_doubled and is_first_time:
            lifetime = update.expires_at - time.time()
            again = self._append(
                update.update_id, lane=update.lane, body=update.body, lifetime_seconds=lifetime
            )
            again.ignores_offset = True

    def remove(self, update: PendingUpdate) -> None:
        """Forget an update; repeatable."""
        lane = self._lanes.get(update.lane)
        if lane is None or update not in lane:
            return
        lane.remove(update)
        if not lane:
            del self._lanes[update.lane]
        self._changed.beat()

    def clear(self) -> None:
        """Forget all waiting updates."""
        self._lanes.clear()
        self._faults.clear()
        self._changed.beat()

    def restore(self, updates: list[PendingUpdate]) -> None:
        """Put updates of an earlier run back, in their order."""
        for update in sorted(updates, key=lambda update: update.sequence):
            self._lanes.setdefault(update.lane, deque()).append(update)
            self._faults.restore(update)
            self._next_sequence = max(self._next_sequence, update.sequence + 1)

    def _is_allowed(self, kind: str) -> bool:
        if self.allowed_updates:
            return kind in self.allowed_updates
        return kind not in _KINDS_OFF_BY_DEFAULT

    def _append(self, update_id: int, *, lane: str, body: str, lifetime_seconds: float) -> PendingUpdate:
        self.require_room()
        update = PendingUpdate(
            sequence=self._next_sequence,
            update_id=update_id,
            lane=lane,
            body=body,
            expires_at=time.time() + lifetime_seconds,
        )
        self._next_sequence += 1
        self._lanes.setdefault(lane, deque()).append(update)
        self._changed.beat()
        return update

    def _remember(self, update: PendingUpdate) -> None:
        self._recent[update.update_id] = update
        while len(self._recent) > _UPDATES_KEPT_FOR_REPEATS:
            del self._recent[next(iter(self._recent))]
