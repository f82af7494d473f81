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
    contact_salt = models.BinaryField(editable=True)  # sealed; goes into the tags of blocks and nicknames
    display_name = models.BinaryField(null=True, editable=True)  # sealed; null: not chosen yet
    language = models.CharField(max_length=8)
    time_zone = models.CharField(max_length=64, db_default="UTC", default="UTC")
    refused_kinds = models.SmallIntegerField(default=0, db_default=0)  # accounts.preferences.ReceiveKind
    paused_until = models.DateTimeField(null=True)  # to the hour, rounded up; year 9999: until resumed
    reachable = models.BooleanField(default=True, db_default=True)
    created_on = models.DateField()

    class Meta:
        db_table = "account"
        constraints = (models.UniqueConstraint(fields=["actor_hash"], name="account_actor_hash_once"),)
        indexes = (
            # purge
            models.Index(
                fields=["paused_until"], name="account_pause_end", condition=Q(paused_until__isnull=False)
            ),
        )


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


class Composition(PlaneModel):
    """What a person has handed in and what is no ticket yet: parts still coming in, or a question open."""

    composition_id = models.BinaryField(primary_key=True, editable=True)
    account_id = models.BinaryField(editable=True)
    body = models.BinaryField(editable=True)
    ready_at = models.DateTimeField(null=True)  # when no more parts are waited for; null: a question is open
    expires_at = models.DateTimeField()  # to the hour, rounded up

    class Meta:
        db_table = "composition"
        constraints = (
            models.UniqueConstraint(
                fields=["account_id"],
                name="composition_gathers_once",
                condition=Q(ready_at__isnull=False),
            ),
        )
        indexes = (
            models.Index(fields=["account_id"], name="composition_of_account"),
            # the gathering worker's work list
            models.Index(fields=["ready_at"], name="composition_ready", condition=Q(ready_at__isnull=False)),
            # purge; what gathers is ended and never thrown away
            models.Index(
                fields=["expires_at"], name="composition_expiry", condition=Q(ready_at__isnull=True)
            ),
        )


class Block(PlaneModel):
    """Somebody whose messages a person does not want, under a tag that names them to nobody."""

    block_id = models.BinaryField(primary_key=True, editable=True)
    account_id = models.BinaryField(editable=True)
    block_tag = models.BinaryField(editable=True)
    note = models.BinaryField(editable=True)  # sealed: by which message the owner knows them

    class Meta:
        db_table = "block"
        constraints = (models.UniqueConstraint(fields=["block_tag"], name="block_tag_once"),)
        indexes = (models.Index(fields=["account_id"], name="block_of_account"),)


class Nickname(PlaneModel):
    """What a person calls somebody who writes to them."""

    contact_tag = models.BinaryField(primary_key=True, editable=True)
    account_id = models.BinaryField(editable=True)
    name = models.BinaryField(editable=True)

    class Meta:
        db_table = "nickname"
        indexes = (models.Index(fields=["account_id"], name="nickname_of_account"),)


class Unread(PlaneModel):
    """A sealed capability waiting in somebody's inbox. It says nothing of who sent it."""

    class State(models.TextChoices):
        WAITING = "waiting"
        SENDING = "sending"
        FILTERED = "filtered"  # set aside: neither announced nor drained, but it takes up a place

    unread_id = models.BinaryField(primary_key=True, editable=True)
    account_id = models.BinaryField(editable=True)
    position = models.BigIntegerField()  # inside one inbox
    dedupe_tag = models.BinaryField(editable=True)
    capability = models.BinaryField(editable=True)
    withdraw_tag = models.BinaryField(null=True, editable=True)  # how its sender finds it, until it is sent
    state = models.CharField(max_length=8, choices=State)
    attempt_id = models.BinaryField(null=True, editable=True)  # the delivery attempt that owns the row
    generation = models.SmallIntegerField(default=0, db_default=0)  # delivery attempts given up so far
    possible_repeat = models.BooleanField(
        default=False, db_default=False
    )  # an earlier attempt may have arrived
    # an earlier attempt was told that this can never be shown
    refused = models.BooleanField(default=False, db_default=False)
    unnoticed = models.BooleanField(default=True, db_default=True)
    expires_on = models.DateField()

    class Meta:
        db_table = "unread"
        constraints = (
            models.UniqueConstraint(fields=["dedupe_tag"], name="unread_dedupe_tag_once"),
            models.UniqueConstraint(fields=["account_id", "position"], name="unread_position_once"),
            models.UniqueConstraint(fields=["withdraw_tag"], name="unread_withdraw_tag_once"),
            models.CheckConstraint(
                name="unread_owner_while_sending",
                condition=Q(state__in=["waiting", "filtered"], attempt_id=None)
                | Q(state="sending", attempt_id__isnull=False),
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
