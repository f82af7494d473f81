"""Writes of the stats plane: events are noted by whatever causes them, and folded into daily counts apart."""

import secrets
from typing import Final

from nekonymous_site.pipeline import Answer, StatementPipeline
from stats.events import StatEvent

EVENT_ID_BYTES: Final = 16


def queue_event(pipeline: StatementPipeline, event: StatEvent) -> None:
    """Note that something happened today, in the transaction that makes it happen.

    Each call counts once more, so it belongs behind whatever keeps a redelivered update from acting twice.
    A row of its own with a random id, so that no two causes wait for each other.
    """
    pipeline.queue_write(
        "INSERT INTO stats.event (event_id, name, day) VALUES (%s, %s, current_date)",
        [secrets.token_bytes(EVENT_ID_BYTES), event],
    )


def queue_events_folded(pipeline: StatementPipeline, *, limit: int) -> Answer[int]:
    """Move at most `limit` events into the daily counts; tells how many, 0 when none is left or free.

    Any number may fold at once: events that another holds are skipped, and what one statement deletes it also
    counts, so whatever befalls the transaction each event is counted once or still there. The counts are
    locked in one order until commit, so two folders can wait for each other only in a line. That holds for
    one call a transaction: a second one would begin at the front again with the first one's locks held.
    """
    return pipeline.queue(
        """
        WITH batch AS (
            SELECT event_id FROM stats.event LIMIT %s FOR UPDATE SKIP LOCKED
        ), gone AS (
            DELETE FROM stats.event USING batch WHERE event.event_id = batch.event_id
            RETURNING event.day, event.name
        ), tally AS (
            SELECT day, name, count(*) AS events FROM gone GROUP BY day, name
        ), added AS (
            INSERT INTO stats.daily_count AS total (day, name, count)
            SELECT day, name, events FROM tally ORDER BY day, name
            ON CONFLICT (day, name) DO UPDATE SET count = total.count + EXCLUDED.count
        )
        SELECT coalesce(sum(events), 0)::bigint FROM tally
        """,
        [limit],
        read=lambda rows: rows[0][0],
    )
