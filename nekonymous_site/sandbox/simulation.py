"""All parts of one running stand-in, as its methods and routes receive them."""

from dataclasses import dataclass

from nekonymous_site.sandbox.call_log import CallLog
from nekonymous_site.sandbox.faults import FaultRules
from nekonymous_site.sandbox.pulse import Pulse
from nekonymous_site.sandbox.send_rates import SendRates
from nekonymous_site.sandbox.update_queue import UpdateQueue
from nekonymous_site.sandbox.webhook import Webhook
from nekonymous_site.sandbox.world import Bot, World


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How patient the stand-in is; the real server's figures are kinder to itself than to a test."""

    webhook_timeout_seconds: float = 60.0
    # The real server waits up to 60 to 120 s between tries; whoever restarts a bot here does not want to.
    webhook_retry_cap_seconds: float = 8.0
    callback_lifetime_seconds: float = 30.0


@dataclass(slots=True)
class LongPoll:
    """A getUpdates call that waits; somebody else's conflicting call ends it with this reason."""

    ended_because: str | None = None


@dataclass(slots=True, kw_only=True)
class Simulation:
    """The stand-in. Belongs to one event loop."""

    changed: Pulse
    world: World
    updates: UpdateQueue
    webhook: Webhook
    timings: Timings
    faults: FaultRules
    calls: CallLog
    rates: SendRates
    waiting_poll: LongPoll | None = None

    @property
    def bot(self) -> Bot:
        """The bot that is served."""
        return self.world.bot

    def end_waiting_poll(self, reason: str) -> None:
        """Let the waiting getUpdates call, if there is one, fail with a conflict."""
        if self.waiting_poll is not None:
            self.waiting_poll.ended_because = reason
            self.changed.beat()


def start_simulation(bot: Bot, *, timings: Timings) -> Simulation:
    """Make an empty stand-in: no people, no webhook."""
    changed = Pulse()
    faults = FaultRules()
    return Simulation(
        changed=changed,
        world=World(bot, changed=changed),
        updates=UpdateQueue(changed=changed, faults=faults),
        webhook=Webhook(),
        timings=timings,
        faults=faults,
        calls=CallLog(),
        rates=SendRates(),
    )
