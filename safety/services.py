"""Writes of the safety plane. Sanctions only make a standing stricter; clearing is a step of its own."""

from nekonymous_site.crypto.identifiers import AbuseSubjectTag
from nekonymous_site.pipeline import Answer, StatementPipeline
from safety.selectors import standing_now
from safety.standing import SubjectStanding, require_suspension_hours


def queue_suspended(
    pipeline: StatementPipeline, subject: AbuseSubjectTag, *, hours: int
) -> Answer[SubjectStanding]:
    """Suspend somebody for so many hours, the end rounded up to the hour; tells how they stand then.

    May be repeated. A ban stays a ban and a longer suspension stays longer, so that no milder decision
    shortens an earlier one; whoever wants that clears first. Locks the subject's row until commit.
    Raises SuspensionOutOfRange.
    """
    require_suspension_hours(hours)
    return pipeline.queue(
        """
        INSERT INTO safety.subject AS subject (subject_tag, standing, until)
        VALUES (%s, 'suspended',
            date_trunc('hour', now() + make_interval(hours => %s) + interval '59 minutes 59.999999 seconds',
                'UTC'))
        ON CONFLICT (subject_tag) DO UPDATE SET
            until = CASE subject.standing WHEN 'suspended' THEN greatest(subject.until, EXCLUDED.until) END
        RETURNING standing, until, now()
        """,
        [subject, hours],
        read=standing_now,
    )


def queue_banned(pipeline: StatementPipeline, subject: AbuseSubjectTag) -> None:
    """Ban somebody until they are cleared. May be repeated. Locks the subject's row until commit."""
    pipeline.queue_write(
        """
        INSERT INTO safety.subject (subject_tag, standing, until) VALUES (%s, 'banned', NULL)
        ON CONFLICT (subject_tag) DO UPDATE SET standing = EXCLUDED.standing, until = EXCLUDED.until
        """,
        [subject],
    )


def queue_cleared(pipeline: StatementPipeline, subject: AbuseSubjectTag) -> None:
    """Lift whatever sanction there is. May be repeated. Locks the subject's row until commit."""
    pipeline.queue_write("DELETE FROM safety.subject WHERE subject_tag = %s", [subject])


def queue_expired_purged(pipeline: StatementPipeline, *, limit: int) -> Answer[int]:
    """Delete at most `limit` suspensions that are over, whosever they were; tells how many went."""
    return pipeline.queue(
        """
        WITH old AS (
            SELECT subject_tag FROM safety.subject WHERE until <= now() LIMIT %s FOR UPDATE SKIP LOCKED
        ), gone AS (
            DELETE FROM safety.subject USING old WHERE subject.subject_tag = old.subject_tag
            RETURNING 1
        )
        SELECT count(*) FROM gone
        """,
        [limit],
        read=lambda rows: rows[0][0],
    )
