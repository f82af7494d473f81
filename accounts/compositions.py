"""Compositions: what a person has handed in and what is no ticket yet, sealed.

At most one of a person gathers: more parts of it may come (an album, a long pasted text) until `ready_at`.
Others wait for their sender's answer to a question, for a day. Every function needs the actor's lock, except
those that look for work.
"""

from datetime import timedelta
from typing import Final

from accounts.records import COMPOSITION
from nekonymous_site.crypto.identifiers import AccountId, ActorHash, Envelope
from nekonymous_site.crypto.sealed_envelope import open_record, seal_record
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row

MOST_ASKED: Final = 20


def queue_gathering(
    pipeline: StatementPipeline,
    composition_id: bytes,
    *,
    owner: AccountId,
    body: bytes,
    ready_after: timedelta,
) -> None:
    """Keep what gathers, with what has been added to it; ready, unless more comes, after `ready_after`.

    Another one that gathers for the same person violates a constraint.
    """
    pipeline.queue_write(
        """
        INSERT INTO accounts.composition (composition_id, account_id, body, ready_at, expires_at)
        VALUES (%s, %s, %s, clock_timestamp() + %s, date_trunc('hour', now(), 'UTC') + interval '25 hours')
        ON CONFLICT (composition_id) DO UPDATE SET body = EXCLUDED.body, ready_at = EXCLUDED.ready_at
        """,
        [composition_id, owner, _seal(composition_id, body), ready_after],
    )


def queue_asked(
    pipeline: StatementPipeline, composition_id: bytes, *, owner: AccountId, body: bytes
) -> Answer[bool]:
    """Keep what waits for its sender's answer, for a day at most; False when too many wait already.

    What was gathering under the same id waits from now on.
    """
    return pipeline.queue(
        """
        INSERT INTO accounts.composition (composition_id, account_id, body, ready_at, expires_at)
        SELECT %(id)s, %(owner)s, %(body)s, NULL, date_trunc('hour', now(), 'UTC') + interval '25 hours'
        WHERE (SELECT count(*) FROM accounts.composition
               WHERE account_id = %(owner)s AND ready_at IS NULL) < %(most)s
        ON CONFLICT (composition_id) DO UPDATE SET body = EXCLUDED.body, ready_at = NULL
        RETURNING 1
        """,
        {"id": composition_id, "owner": owner, "body": _seal(composition_id, body), "most": MOST_ASKED},
        read=any_row,
    )


def queue_asked_found(
    pipeline: StatementPipeline, composition_id: bytes, *, owner: AccountId
) -> Answer[Envelope | None]:
    """Find what waits for this person's answer; None when it is gone or somebody else's."""
    return pipeline.queue(
        """
        SELECT body FROM accounts.composition
        WHERE composition_id = %s AND account_id = %s AND ready_at IS NULL AND expires_at > now()
        """,
        [composition_id, owner],
        read=lambda rows: rows[0][0] if rows else None,
    )


def queue_only_asked(pipeline: StatementPipeline, owner: AccountId) -> Answer[tuple[bytes, Envelope] | None]:
    """Find the one composition that waits for this person's answer; None when there is none or several."""
    return pipeline.queue(
        """
        SELECT composition_id, body FROM accounts.composition
        WHERE account_id = %s AND ready_at IS NULL AND expires_at > now() LIMIT 2
        """,
        [owner],
        read=lambda rows: (rows[0][0], rows[0][1]) if len(rows) == 1 else None,
    )


def open_composition(envelope: Envelope, *, composition_id: bytes) -> bytes:
    """Open a body; raises CryptoError when it is not this composition's."""
    return open_record(COMPOSITION, record_id=composition_id, envelope=envelope)


def queue_composition_closed(pipeline: StatementPipeline, composition_id: bytes) -> None:
    """Delete a composition: it has become a ticket, was refused or thrown away. May be repeated."""
    pipeline.queue_write("DELETE FROM accounts.composition WHERE composition_id = %s", [composition_id])


def queue_all_asked_closed(pipeline: StatementPipeline, owner: AccountId) -> Answer[bool]:
    """Throw away everything that waits for this person's answer; False when nothing did."""
    return pipeline.queue(
        "DELETE FROM accounts.composition WHERE account_id = %s AND ready_at IS NULL RETURNING 1",
        [owner],
        read=any_row,
    )


def queue_ready_composer(pipeline: StatementPipeline) -> Answer[ActorHash | None]:
    """Find, by lot, somebody whose composition is ready; None when there is nobody.

    Takes no lock: what was found may be finished meanwhile, so read it again under the actor's lock.
    """
    return pipeline.queue(
        """
        SELECT actor_hash FROM accounts.composition JOIN accounts.account USING (account_id)
        WHERE ready_at <= clock_timestamp() ORDER BY random() LIMIT 1
        """,
        read=lambda rows: ActorHash(rows[0][0]) if rows else None,
    )


def queue_next_ready_seconds(pipeline: StatementPipeline) -> Answer[float | None]:
    """Tell in how many seconds the next composition will be ready; None when none is still to become so."""
    return pipeline.queue(
        """
        SELECT extract(epoch FROM min(ready_at) - clock_timestamp())
        FROM accounts.composition WHERE ready_at > clock_timestamp()
        """,
        read=lambda rows: None if rows[0][0] is None else max(float(rows[0][0]), 0.0),
    )


def _seal(composition_id: bytes, body: bytes) -> Envelope:
    return seal_record(COMPOSITION, record_id=composition_id, plaintext=body)
