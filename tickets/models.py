"""The vault: one row per sealed ticket, found only by whoever holds its capability."""

from django.db import models
from django.db.models import Q

from nekonymous_site.plane_models import PlaneModel


class Ticket(PlaneModel):
    """A message as an independent sealed capability. It names neither its sender nor its owner."""

    class Status(models.TextChoices):
        SEALED = "sealed"
        VIEWED = "viewed"
        WITHDRAWN = "withdrawn"

    ticket_hash = models.BinaryField(primary_key=True, editable=True)
    owner_proof = models.BinaryField(editable=True)
    withdraw_tag = models.BinaryField(null=True, editable=True)
    route = models.BinaryField(editable=True)
    payload = models.BinaryField(null=True, editable=True)
    meta = models.BinaryField(editable=True)
    status = models.CharField(max_length=9, choices=Status)
    # The first of several parts has left, or is about to: its sender cannot take it back any more.
    begun = models.BooleanField(default=False, db_default=False)
    expires_on = models.DateField()

    class Meta:
        db_table = "ticket"
        constraints = (
            models.CheckConstraint(
                name="ticket_payload_only_while_sealed",
                condition=Q(status="sealed", payload__isnull=False)
                | Q(status__in=["viewed", "withdrawn"], payload=None, withdraw_tag=None),
            ),
        )
        indexes = (models.Index(fields=["expires_on"], name="ticket_expiry"),)  # purge
