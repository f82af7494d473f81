"""How the bot gets its updates: by asking, or by webhook."""

import json
import time

from nekonymous_site.sandbox.bot_api_errors import bad_request, refusal
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.methods.outcome import Described
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.pending_updates import PendingUpdate
from nekonymous_site.sandbox.simulation import LongPoll, Simulation
from nekonymous_site.sandbox.webhook import DEFAULT_MAX_CONNECTIONS, check_secret_token, check_webhook_url

_MAX_LIMIT = 100
_MAX_POLL_SECONDS = 50
_MAX_CONNECTIONS = 100


async def get_updates(simulation: Simulation, parameters: Parameters) -> list[JsonObject]:
    """Wait for updates and hand them out; asking from an offset confirms all before it.

    Raises BotApiError (409) while a webhook is set, and in the call that waits when another one comes.
    """
    if simulation.webhook.url:
        raise refusal(
            409,
            "can't use getUpdates method while webhook is active; "
            "use deleteWebhook to delete the webhook first",
        )
    simulation.end_waiting_poll(
        "terminated by other getUpdates request; make sure that only one bot instance is running"
    )
    _remember_allowed_updates(simulation, parameters)
    offset = _confirm(simulation, parameters.integer("offset") or 0)
    poll = LongPoll()
    simulation.waiting_poll = poll
    try:
        updates = await _wait_for_updates(simulation, poll, offset=offset, parameters=parameters)
    finally:
        if simulation.waiting_poll is poll:
            simulation.waiting_poll = None
    return _hand_out(simulation, updates)


async def set_webhook(simulation: Simulation, parameters: Parameters) -> Described:
    """Register where updates go. Raises BotApiError for an address or secret the server would refuse."""
    url = parameters.text("url").strip()
    if not url:
        return await delete_webhook(simulation, parameters)
    check_webhook_url(url)
    check_secret_token(parameters.text("secret_token"))
    max_connections = parameters.integer("max_connections") or DEFAULT_MAX_CONNECTIONS
    simulation.webhook.register(
        url=url,
        secret_token=parameters.text("secret_token"),
        max_connections=min(max(max_connections, 1), _MAX_CONNECTIONS),
    )
    _remember_allowed_updates(simulation, parameters)
    _drop_pending_if_asked(simulation, parameters)
    simulation.end_waiting_poll("terminated by setWebhook request")
    simulation.changed.beat()
    return Described(result=True, description="Webhook was set")


async def delete_webhook(simulation: Simulation, parameters: Parameters) -> Described:
    """Let updates wait to be asked for; repeatable."""
    was_set = bool(simulation.webhook.url)
    simulation.webhook.remove()
    _drop_pending_if_asked(simulation, parameters)
    simulation.changed.beat()
    return Described(
        result=True, description="Webhook was deleted" if was_set else "Webhook is already deleted"
    )


async def get_webhook_info(simulation: Simulation, _parameters: Parameters) -> JsonObject:
    """Answer where updates go, how many wait, and the last failure."""
    return simulation.webhook.as_json(
        pending_update_count=simulation.updates.count(), allowed_updates=simulation.updates.allowed_updates
    )


async def _wait_for_updates(
    simulation: Simulation, poll: LongPoll, *, offset: int, parameters: Parameters
) -> list[PendingUpdate]:
    timeout_seconds = min(max(parameters.integer("timeout") or 0, 0), _MAX_POLL_SECONDS)
    limit = min(max(parameters.integer("limit") or _MAX_LIMIT, 1), _MAX_LIMIT)
    deadline = time.monotonic() + timeout_seconds
    while True:
        if poll.ended_because is not None:
            raise refusal(409, poll.ended_because)
        due = [
            update
            for update in simulation.updates.due_in_order()
            if update.update_id >= offset or update.ignores_offset
        ]
        seconds_left = deadline - time.monotonic()
        if due or seconds_left <= 0:
            return due[:limit]
        release = simulation.updates.seconds_until_release()
        await simulation.changed.wait(seconds=seconds_left if release is None else min(seconds_left, release))


def _hand_out(simulation: Simulation, updates: list[PendingUpdate]) -> list[JsonObject]:
    handed_out = []
    for update in updates:
        update.ignores_offset = False
        try:
            handed_out.append(json.loads(update.body))
        except ValueError:
            # Junk made for a webhook: getUpdates has no way to carry it.
            simulation.updates.remove(update)
    return handed_out


def _confirm(simulation: Simulation, offset: int) -> int:
    """Forget confirmed updates; a negative offset counts from the end. Returns the first id to hand out."""
    if offset < 0:
        waiting = simulation.updates.in_order()
        offset = waiting[offset:][0].update_id if waiting else 0
    simulation.updates.confirm_below(offset)
    return offset


def _remember_allowed_updates(simulation: Simulation, parameters: Parameters) -> None:
    """Keep the list of wanted kinds; without one the earlier list stays."""
    allowed = parameters.json_list("allowed_updates")
    if allowed is None:
        return
    if not all(isinstance(kind, str) for kind in allowed):
        raise bad_request("can't parse allowed_updates")
    simulation.updates.allowed_updates = [str(kind) for kind in allowed] or None


def _drop_pending_if_asked(simulation: Simulation, parameters: Parameters) -> None:
    if parameters.flag("drop_pending_updates"):
        simulation.updates.clear()
