"""Carries updates to the webhook, in order within each lane, until they are acknowledged."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import aiohttp

from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.pending_updates import PendingUpdate
from nekonymous_site.sandbox.redelivery import find_delay_seconds, read_answered_call, read_retry_after
from nekonymous_site.sandbox.simulation import Simulation

_MAX_ANSWER_BYTES = 1 << 20
_IDLE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryResult:
    """What the webhook said: nothing more to do, or when it wants to be asked again."""

    is_acknowledged: bool
    retry_after_seconds: float | None = None
    answer: JsonObject | None = None


class WebhookDelivery:
    """One task per lane with updates, as many requests at once as the webhook allows."""

    def __init__(
        self, simulation: Simulation, *, run_answer: Callable[[JsonObject], Awaitable[None]]
    ) -> None:
        self._simulation = simulation
        self._run_answer = run_answer
        self._lanes: dict[str, asyncio.Task[None]] = {}
        self._open_requests = 0

    async def run(self) -> None:
        """Deliver until cancelled; then every lane stops at once, what was not acknowledged stays pending."""
        timeout = aiohttp.ClientTimeout(total=self._simulation.timings.webhook_timeout_seconds)
        try:
            async with aiohttp.ClientSession(timeout=timeout, trust_env=False) as session:
                while True:
                    self._start_lanes(session)
                    await self._simulation.changed.wait(seconds=_IDLE_SECONDS)
        finally:
            for lane in self._lanes.values():
                lane.cancel()

    def _start_lanes(self, session: aiohttp.ClientSession) -> None:
        self._lanes = {name: task for name, task in self._lanes.items() if not task.done()}
        if not self._simulation.webhook.url:
            return
        for name in self._simulation.updates.lanes():
            if name not in self._lanes:
                self._lanes[name] = asyncio.create_task(self._drain_lane(session, name))

    async def _drain_lane(self, session: aiohttp.ClientSession, lane: str) -> None:
        """Deliver a lane's updates one after the other; a failed one holds back those behind it."""
        failing, failures = None, 0
        while self._simulation.webhook.url and (update := self._simulation.updates.head_of(lane)):
            if (seconds_held := update.seconds_held()) > 0:
                await self._simulation.changed.wait(seconds=seconds_held)
                continue
            result = await self._deliver_when_free(session, update)
            if result.is_acknowledged:
                self._simulation.updates.acknowledge(update)
                if result.answer is not None:
                    await self._run_answer(result.answer)
            else:
                failing, failures = update, failures + 1 if update is failing else 1
                await self._try_later(update, failures=failures, asked_for=result.retry_after_seconds)

    async def _deliver_when_free(
        self, session: aiohttp.ClientSession, update: PendingUpdate
    ) -> DeliveryResult:
        while self._open_requests >= self._simulation.webhook.max_connections:
            await self._simulation.changed.wait(seconds=_IDLE_SECONDS)
        if not self._simulation.webhook.url:
            return DeliveryResult(is_acknowledged=False)
        self._open_requests += 1
        try:
            return await self._deliver(session, update)
        finally:
            self._open_requests -= 1
            self._simulation.changed.beat()

    async def _deliver(self, session: aiohttp.ClientSession, update: PendingUpdate) -> DeliveryResult:
        webhook = self._simulation.webhook
        headers = {"Content-Type": "application/json"}
        if webhook.secret_token:
            headers["X-Telegram-Bot-Api-Secret-Token"] = webhook.secret_token
        body = update.body.encode(errors="surrogateescape")
        try:
            async with session.post(
                webhook.url, data=body, headers=headers, allow_redirects=False
            ) as response:
                return await self._judge(response)
        except TimeoutError:
            webhook.note_error("Read timeout expired")
        except (aiohttp.ClientError, OSError) as error:
            webhook.note_error(_describe_connection_error(error))
        return DeliveryResult(is_acknowledged=False)

    async def _judge(self, response: aiohttp.ClientResponse) -> DeliveryResult:
        if 200 <= response.status <= 299:
            return DeliveryResult(is_acknowledged=True, answer=await _read_call(response))
        self._simulation.webhook.note_error(
            f"Wrong response from the webhook: {response.status} {response.reason}"
        )
        retry_after = read_retry_after(response.headers.get("Retry-After", ""))
        return DeliveryResult(is_acknowledged=False, retry_after_seconds=retry_after)

    async def _try_later(self, update: PendingUpdate, *, failures: int, asked_for: float | None) -> None:
        """Wait for the next try, or drop the update at once if it would be too old by then."""
        cap_seconds = self._simulation.timings.webhook_retry_cap_seconds
        delay_seconds = find_delay_seconds(failures, asked_for=asked_for, cap_seconds=cap_seconds)
        if time.time() + delay_seconds > update.expires_at:
            self._simulation.updates.remove(update)
        else:
            await self._pause(delay_seconds)

    async def _pause(self, seconds: float) -> None:
        """Wait, but not on when the webhook is registered anew."""
        generation = self._simulation.webhook.generation
        deadline = time.monotonic() + seconds
        while self._simulation.webhook.generation == generation:
            seconds_left = deadline - time.monotonic()
            if seconds_left <= 0:
                return
            await self._simulation.changed.wait(seconds=seconds_left)


async def _read_call(response: aiohttp.ClientResponse) -> JsonObject | None:
    """The Bot API call in an acknowledgement's body, if there is one."""
    body = await response.content.read(_MAX_ANSWER_BYTES)
    return read_answered_call(body, content_type=response.content_type)


def _describe_connection_error(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientConnectorError | ConnectionRefusedError):
        return "Connection refused"
    return "Connection closed"
