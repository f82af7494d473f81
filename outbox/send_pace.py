"""The one row that paces every send of this bot (GCRA), and the breaker that parks them all."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from nekonymous_site.crypto.identifiers import LaneTag
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row

PACE_TOLERANCE: Final = timedelta(seconds=0.2)
SEVERAL_CHATS_WITHIN: Final = timedelta(seconds=1)


def queue_pace_taken(pipeline: StatementPipeline, *, sends_per_second: float) -> Answer[bool]:
    """Take the right to send once; False when the next one is due only in a moment."""
    interval = timedelta(seconds=1 / sends_per_second)
    return pipeline.queue(
        """
        INSERT INTO outbox.send_pace AS pace (scope, paced_until) VALUES ('all', clock_timestamp() + %s)
        ON CONFLICT (scope) DO UPDATE SET paced_until = greatest(pace.paced_until, clock_timestamp()) + %s
        WHERE pace.paced_until IS NULL OR pace.paced_until <= clock_timestamp() + %s
        RETURNING 1
        """,
        [interval, interval, PACE_TOLERANCE],
        read=any_row,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FailuresInARow:
    """Failures of the Bot API since it has last answered anybody.

    In `changing_lanes` those of one lane count once, since its chat may be at fault; not reaching the Bot API
    at all counts always.
    """

    changing_lanes: int
    any_lane: int


def queue_failure_counted(
    pipeline: StatementPipeline, lane_tag: LaneTag, *, never_left: bool
) -> Answer[FailuresInARow]:
    """Count a failure of the Bot API, and tell how many there were in a row."""
    return pipeline.queue(
        """
        INSERT INTO outbox.send_pace AS pace
            (scope, failures_in_a_row, failures_of_any_lane, failed_lane_tag)
        VALUES ('all', 1, 1, %s)
        ON CONFLICT (scope) DO UPDATE SET
            failures_of_any_lane = pace.failures_of_any_lane + 1,
            failures_in_a_row = pace.failures_in_a_row
                + CASE WHEN %s OR pace.failed_lane_tag IS DISTINCT FROM EXCLUDED.failed_lane_tag
                    THEN 1 ELSE 0 END,
            failed_lane_tag = EXCLUDED.failed_lane_tag
        RETURNING failures_in_a_row, failures_of_any_lane
        """,
        [lane_tag, never_left],
        read=lambda rows: FailuresInARow(changing_lanes=rows[0][0], any_lane=rows[0][1]),
    )


def queue_failures_forgotten(pipeline: StatementPipeline) -> None:
    """The Bot API has answered, so as a whole it works. Touches the row only when failures are counted."""
    pipeline.queue_write(
        """
        UPDATE outbox.send_pace SET failures_in_a_row = 0, failures_of_any_lane = 0, failed_lane_tag = NULL
        WHERE scope = 'all' AND failures_of_any_lane > 0
        """
    )


def queue_everything_parked(pipeline: StatementPipeline, *, wait: timedelta) -> None:
    """Let nothing be sent for a while; a longer wait that is already on stays."""
    pipeline.queue_write(
        """
        INSERT INTO outbox.send_pace AS pace (scope, parked_until) VALUES ('all', now() + %s)
        ON CONFLICT (scope) DO UPDATE SET parked_until = greatest(pace.parked_until, EXCLUDED.parked_until)
        """,
        [wait],
    )


def queue_rate_limit_noted(pipeline: StatementPipeline, lane_tag: LaneTag, *, wait: timedelta) -> None:
    """Note that a chat was told to wait; the second chat within a second parks everybody for as long.

    One chat alone may have been too fast. Several at once mean that the bot is. The waits of calls that were
    on their way at that moment are not added up: the latest end counts.
    """
    pipeline.queue_write(
        """
        INSERT INTO outbox.send_pace AS pace (scope, limited_lane_tag, limited_at)
        VALUES ('all', %s, now())
        ON CONFLICT (scope) DO UPDATE SET
            parked_until = CASE
                WHEN pace.limited_lane_tag <> EXCLUDED.limited_lane_tag
                    AND pace.limited_at > EXCLUDED.limited_at - %s
                THEN greatest(pace.parked_until, EXCLUDED.limited_at + %s) ELSE pace.parked_until END,
            limited_lane_tag = EXCLUDED.limited_lane_tag, limited_at = EXCLUDED.limited_at
        """,
        [lane_tag, SEVERAL_CHATS_WITHIN, wait],
    )
