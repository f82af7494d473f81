"""Reads of the safety plane."""

from nekonymous_site.crypto.identifiers import AbuseSubjectTag
from nekonymous_site.pipeline import Answer, Row, StatementPipeline
from safety.standing import CLEAR, Standing, SubjectStanding


def queue_standing(pipeline: StatementPipeline, subject: AbuseSubjectTag) -> Answer[SubjectStanding]:
    """Ask how somebody stands now, by the database's clock. Takes no lock.

    A sanction that is committed while a message is being accepted meets the next one: that race is accepted,
    since nobody could tell it from a message that came a moment earlier.
    """
    return pipeline.queue(
        "SELECT standing, until, now() FROM safety.subject WHERE subject_tag = %s",
        [subject],
        read=standing_now,
    )


def standing_now(rows: list[Row]) -> SubjectStanding:
    """Read a row of standing, end and the database's moment; no row means clear."""
    if not rows:
        return CLEAR
    [(standing, until, now)] = rows
    return SubjectStanding(standing=Standing(standing), until=until).at(now)
