"""A worker whose turn can be stopped between any two of its steps, for as long as a history likes."""

from dataclasses import dataclass, field

from watched_line import is_marked

from nekonymous_site.bot import lane_pump
from nekonymous_site.bot.rendering import RenderedCall, render_intent
from nekonymous_site.pipeline import durable_transaction
from outbox import lanes
from outbox.errors import StaleLease
from outbox.lanes import LeasedIntent
from outbox.send_result import Failed, FailureKind, Sent, Suppressed


@dataclass(eq=False, kw_only=True)
class SlowWorker:
    """Has a lease and what it is about to send."""

    leased: LeasedIntent
    rendered: RenderedCall | Suppressed | None  # None: its last holder vanished, so nothing is sent
    outcome: "lane_pump._Outcome | None" = None
    is_overtaken: bool = False  # its lease has passed
    text: object = field(default=None, repr=False)
    chat_id: int | None = None
    answers: int | None = None
    is_marked: bool = False

    @property
    def may_call(self) -> bool:
        return self.outcome is None and isinstance(self.rendered, RenderedCall)

    @property
    def is_sent(self) -> bool:
        return self.outcome is not None and isinstance(self.outcome.result, Sent)

    def call(self) -> None:
        """Make the call that was rendered when the turn began, however long ago."""
        assert isinstance(self.rendered, RenderedCall)
        self.outcome = lane_pump._Outcome(
            result=lane_pump._send(self.rendered.call),
            parts_left=self.rendered.parts_left,
            ended_progress=self.rendered.ended_progress,
        )

    def record(self) -> bool:
        """Write down what came of it; False when the lease forbids it."""
        assert self.outcome is not None
        try:
            lane_pump._record(self.leased, self.outcome)
        except StaleLease:
            return False
        return True


def begin_turn() -> SlowWorker | None:
    """Take what is due, and make ready what is to be sent; None when nothing is due."""
    with durable_transaction() as pipeline:
        leased = lanes.take_next_intent(pipeline, lease=lane_pump._LEASE, sends_per_second=1000)
    if not isinstance(leased, LeasedIntent):
        return None
    if leased.abandoned:
        unknown = lane_pump._Outcome(result=Failed(kind=FailureKind.UNKNOWN))
        return SlowWorker(leased=leased, rendered=None, outcome=unknown)
    with durable_transaction() as pipeline:
        rendered = render_intent(pipeline, leased)
    if isinstance(rendered, Suppressed):
        return SlowWorker(leased=leased, rendered=rendered, outcome=lane_pump._Outcome(result=rendered))
    parameters = rendered.call.parameters
    return SlowWorker(
        leased=leased,
        rendered=rendered,
        text=parameters.get("text"),
        chat_id=parameters["chat_id"],
        answers=(parameters.get("reply_parameters") or {}).get("message_id"),
        is_marked=is_marked(parameters),
    )
