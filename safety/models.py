"""Tables of the safety plane. What each column may hold: docs/storage_planes.md."""

from django.db import models
from django.db.models import Q

from nekonymous_site.plane_models import PlaneModel


class Subject(PlaneModel):
    """Somebody who may not write. It says neither why nor who wanted it; whoever has no row is clear."""

    class Standing(models.TextChoices):
        SUSPENDED = "suspended"
        BANNED = "banned"

    subject_tag = models.BinaryField(primary_key=True, editable=True)
    standing = models.CharField(max_length=9, choices=Standing)
    until = models.DateTimeField(null=True)  # to the hour, rounded up; null: a ban has no end

    class Meta:
        db_table = "subject"
        constraints = (
            models.CheckConstraint(
                name="subject_only_a_ban_has_no_end",
                condition=Q(standing="suspended", until__isnull=False) | Q(standing="banned", until=None),
            ),
        )
        indexes = (
            models.Index(fields=["until"], name="subject_end", condition=Q(until__isnull=False)),  # purge
        )
