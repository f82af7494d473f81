"""Tables of the outbox plane: what must become visible to somebody, and what has already come in.

Fine times stand only where a live lease, a pace or a wait needs them, and go when they have served.
"""

from enum import Enum
from typing import Any

from django.db import models
from django.db.models import Q

from nekonymous_site.plane_models import PlaneModel
from outbox.delivery_policy import IntentState
from outbox.intent_kinds import LaneClass


def _choices(words: type[Enum]) -> list[tuple[Any, str]]:
    return [(word.value, word.name.lower()) for word in words]


class Lane(PlaneModel):
    """One chat's queue. Whoever holds `lease_id` may send from it until `lease_until`; idle lanes vanish."""

    lane_tag = models.BinaryField(primary_key=True, editable=True)
    next_position = models.BigIntegerField()
    due_at = models.DateTimeField(null=True)  # when it next has something to send; null: nothing
    parked_until = models.DateTimeField(null=True)  # the Bot API asked for a pause in this chat
    talk_paced_until = models.DateTimeField(null=True)  # theoretical arrival time of each class (GCRA)
    post_paced_until = models.DateTimeField(null=True)
    lease_id = models.BinaryField(null=True, editable=True)
    lease_until = models.DateTimeField(null=True)
    touched_at = models.DateTimeField()
    # The live progress message of an inbox that is being brought; all null or 0 while there is none.
    progress_id = models.BinaryField(null=True, editable=True)
    progress_message = models.BinaryField(null=True, editable=True)  # sealed message id, once it is known
    progress_total = models.SmallIntegerField(null=True)
    progress_delivered = models.SmallIntegerField(default=0, db_default=0)
    progress_edited_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "lane"
        indexes = (
            # the pump's work list
            models.Index(fields=["due_at"], name="lane_due", condition=Q(due_at__isnull=False)),
        )


class Intent(PlaneModel):
    """One thing that a person is to see, written in the transaction that calls for it."""

    intent_id = models.BinaryField(primary_key=True, editable=True)
    intent_tag = models.BinaryField(editable=True)
    kind = models.CharField(max_length=16)
    lane_class = models.SmallIntegerField(choices=_choices(LaneClass))
    lane_tag = models.BinaryField(null=True, editable=True)
    position = models.BigIntegerField(null=True)  # inside one lane
    state = models.CharField(max_length=18, choices=_choices(IntentState))
    attempts = models.SmallIntegerField(default=0, db_default=0)
    possible_repeat = models.BooleanField(default=False, db_default=False)
    parts_sent = models.SmallIntegerField(default=0, db_default=0)  # of an album or a long text
    not_before = models.DateTimeField(null=True)
    body = models.BinaryField(null=True, editable=True)
    created_on = models.DateField()

    class Meta:
        db_table = "intent"
        constraints = (
            models.UniqueConstraint(fields=["intent_tag"], name="intent_tag_once"),
            models.UniqueConstraint(fields=["lane_tag", "position"], name="intent_position_once"),
            models.CheckConstraint(
                name="intent_scrubbed_when_over",
                condition=Q(
                    state__in=["sent", "suppressed", "failed"], body=None, lane_tag=None, position=None
                )
                | Q(state="dead", lane_tag=None, position=None, body__isnull=False)
                | Q(
                    state__in=["pending", "sending", "unknown_after_send"],
                    body__isnull=False,
                    lane_tag__isnull=False,
                    position__isnull=False,
                ),
            ),
        )
        indexes = (models.Index(fields=["created_on"], name="intent_age"),)  # purge


class SendPace(PlaneModel):
    """The one row that paces every send of this bot (GCRA) and, when the Bot API fails, parks them all."""

    scope = models.CharField(primary_key=True, max_length=8)
    paced_until = models.DateTimeField(null=True)  # theoretical arrival time
    parked_until = models.DateTimeField(null=True)
    failures_in_a_row = models.IntegerField(default=0, db_default=0)  # of different lanes
    failed_lane_tag = models.BinaryField(null=True, editable=True)  # the last of them, until a send succeeds
    failures_of_any_lane = models.IntegerField(default=0, db_default=0)  # since the last answer
    limited_lane_tag = models.BinaryField(null=True, editable=True)  # the last chat that was told 429
    limited_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "send_pace"


class UpdateReceipt(PlaneModel):
    """An update whose whole effect has been committed; a second copy of it changes nothing."""

    pk = models.CompositePrimaryKey("bot_id", "update_id")
    bot_id = models.BigIntegerField()
    update_id = models.BigIntegerField()
    received_on = models.DateField()

    class Meta:
        db_table = "update_receipt"
        indexes = (models.Index(fields=["received_on"], name="update_receipt_age"),)  # purge


class UpdateFailure(PlaneModel):
    """How often one update has failed, counted outside the transactions that it broke."""

    pk = models.CompositePrimaryKey("bot_id", "update_id")
    bot_id = models.BigIntegerField()
    update_id = models.BigIntegerField()
    failures = models.SmallIntegerField()
    failed_on = models.DateField()

    class Meta:
        db_table = "update_failure"
        indexes = (models.Index(fields=["failed_on"], name="update_failure_age"),)  # purge


class ParkedUpdate(PlaneModel):
    """A poison update, sealed and set aside so that the ones behind it are heard."""

    parked_id = models.BinaryField(primary_key=True, editable=True)
    body = models.BinaryField(editable=True)
    parked_on = models.DateField()

    class Meta:
        db_table = "parked_update"
        indexes = (models.Index(fields=["parked_on"], name="parked_update_age"),)  # purge


class BotIdentity(PlaneModel):
    """The one bot that this database serves, and the keys that it serves it with."""

    scope = models.CharField(primary_key=True, max_length=8)
    bot_id = models.BigIntegerField()
    username = models.CharField(max_length=64)
    # Proofs of the keys that the database was begun with (outbox.key_check).
    pepper_check = models.BinaryField(editable=True)
    sealed_check = models.BinaryField(editable=True)

    class Meta:
        db_table = "bot_identity"
