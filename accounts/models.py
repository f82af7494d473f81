"""Tables of the accounts plane. What each column may hold: docs/storage_planes.md.

Rows are told apart by random ids; days and hours stand in for times; whatever a person typed or could be
reached by is sealed. There are no foreign keys to `Account`: their checks would leave a mark on a person's
row whenever somebody wrote to them. Whoever deletes an account deletes what belongs to it, under its locks.
"""

from django.db import models
from django.db.models import Q

from nekonymous_site.plane_models import PlaneModel


class Account(PlaneModel):
    """A person under a random id, found again by the blind hash of their Telegram id."""

    account_id = models.BinaryField(primary_key=True, editable=True)
    actor_hash = models.BinaryField(editable=True)
    chat_route = models.BinaryField(editable=True)  # sealed chat id
    display_name = models.BinaryField(null=True, editable=True)  # sealed; null: not chosen yet
    language = models.CharField(max_length=8)
    reachable = models.BooleanField(default=True, db_default=True)
    created_on = models.DateField()

    class Meta:
        db_table = "account"
        constraints = (models.UniqueConstraint(fields=["actor_hash"], name="account_actor_hash_once"),)


class PublicLink(PlaneModel):
    """The slug that an account shares; whoever opens it may write."""

    slug = models.CharField(primary_key=True, max_length=32)
    account_id = models.BinaryField(editable=True)
    active = models.BooleanField(default=True, db_default=True)
    created_on = models.DateField()

    class Meta:
        db_table = "public_link"
        indexes = (models.Index(fields=["account_id"], name="public_link_of_account"),)


class Draft(PlaneModel):
    """What a person is about to send, and to whom: one sealed body per account, for about a day."""

    account_id = models.BinaryField(primary_key=True, editable=True)
    body = models.BinaryField(editable=True)
    expires_at = models.DateTimeField()  # to the hour, rounded up

    class Meta:
        db_table = "draft"
        indexes = (models.Index(fields=["expires_at"], name="draft_expiry"),)  # purge


class Unread(PlaneModel):
    """A sealed capability waiting in somebody's inbox. It says nothing of who sent it."""

    class State(models.TextChoices):
        WAITING = "waiting"
        SENDING = "sending"

    unread_id = models.BinaryField(primary_key=True, editable=True)
    account_id = models.BinaryField(editable=True)
    position = models.BigIntegerField()  # inside one inbox
    dedupe_tag = models.BinaryField(editable=True)
    capability = models.BinaryField(editable=True)
    state = models.CharField(max_length=8, choices=State)
    attempt_id = models.BinaryField(null=True, editable=True)  # the delivery attempt that owns the row
    generation = models.SmallIntegerField(default=0, db_default=0)  # delivery attempts given up so far
    possible_repeat = models.BooleanField(
        default=False, db_default=False
    )  # an earlier attempt may have arrived
    unnoticed = models.BooleanField(default=True, db_default=True)
    expires_on = models.DateField()

    class Meta:
        db_table = "unread"
        constraints = (
            models.UniqueConstraint(fields=["dedupe_tag"], name="unread_dedupe_tag_once"),
            models.UniqueConstraint(fields=["account_id", "position"], name="unread_position_once"),
            models.CheckConstraint(
                name="unread_owner_while_sending",
                condition=Q(state="waiting", attempt_id=None) | Q(state="sending", attempt_id__isnull=False),
            ),
        )
        indexes = (
            # the notification worker's work list
            models.Index(fields=["account_id"], name="unread_unnoticed", condition=Q(unnoticed=True)),
            models.Index(fields=["expires_on"], name="unread_expiry"),  # purge
        )


class DrainRequest(PlaneModel):
    """A recipient asked for their messages and has been told that they are coming."""

    account_id = models.BinaryField(primary_key=True, editable=True)

    class Meta:
        db_table = "drain_request"
