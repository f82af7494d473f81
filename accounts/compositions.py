"""Compositions: what a person has handed in and what is no ticket yet, one a person, sealed.

Either more parts of it may come (an album, a long pasted text) until `ready_at`, or its sender has been asked
a question. Every function needs the actor's lock, except the one that looks for work.
"""

from datetime import timedelta

from accounts.records import COMPOSITION
from nekonymous_site.crypto.identifiers import AccountId, ActorHash, Envelope
from nekonymous_site.crypto.sealed_envelope import open_record, seal_record
from nekonymous_site.pipeline import Answer, StatementPipeline


def queue_composition(
    pipeline: StatementPipeline, owner: AccountId, *, body: bytes, ready_after: timedelta | None
) -> None:
    """Keep a composition in place of whichever there was, for a day at most.

    It is ready, unless more comes, after `ready_after`; None when it waits for an answer instead.
    """
    pipeline.queue_write(
        """
        INSERT INTO accounts.composition (account_id, body, ready_at, expires_at)
        VALUES (%s, %s, clock_timestamp() + %s::interval,
            date_trunc('hour', now(), 'UTC') + interval '25 hours')
        ON CONFLICT (account_id) DO UPDATE SET
            body = EXCLUDED.body, ready_at = EXCLUDED.ready_at, expires_at = EXCLUDED.expires_at
        """,
        [owner, seal_record(COMPOSITION, record_id=owner, plaintext=body), ready_after],
    )


def open_composition(envelope: Envelope, *, owner: AccountId) -> bytes:
    """Open what `queue_composition` sealed; raises CryptoError when it is not this account's."""
    return open_record(COMPOSITION, record_id=owner, envelope=envelope)


def queue_composition_closed(pipeline: StatementPipeline, owner: AccountId) -> None:
    """Delete a composition: it has become a ticket, was refused or thrown away. May be repeated."""
    pipeline.queue_write("DELETE FROM accounts.composition WHERE account_id = %s", [owner])


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
    """Tell in how many seconds the next composition is ready; None when none gathers."""
    return pipeline.queue(
        "SELECT extract(epoch FROM min(ready_at) - clock_timestamp()) FROM accounts.composition",
        read=lambda rows: None if rows[0][0] is None else max(float(rows[0][0]), 0.0),
    )
