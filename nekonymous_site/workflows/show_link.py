"""A person asks for their own link."""

import accounts.selectors
from accounts.selectors import Actor
from nekonymous_site.pipeline import StatementPipeline


def find_own_slug(pipeline: StatementPipeline, actor: Actor) -> str:
    """Find the slug that an account shares; every account is made together with one."""
    slug = accounts.selectors.queue_own_slug(pipeline, actor.account_id).value
    if slug is None:
        raise LookupError("an account without a link")
    return slug
