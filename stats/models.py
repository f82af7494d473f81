"""Tables of the stats plane. What each column may hold: docs/storage_planes.md."""

from django.db import models
from django.db.models import Q

from nekonymous_site.plane_models import PlaneModel


class Event(PlaneModel):
    """Something that happened, waiting to be counted. It names nobody and carries no time but its day."""

    event_id = models.BinaryField(primary_key=True, editable=True)
    name = models.CharField(max_length=32)
    day = models.DateField()

    class Meta:
        db_table = "event"


class DailyCount(PlaneModel):
    """How often something happened on a day, over all people together."""

    pk = models.CompositePrimaryKey("day", "name")
    day = models.DateField()
    name = models.CharField(max_length=32)
    count = models.BigIntegerField()

    class Meta:
        db_table = "daily_count"
        constraints = (models.CheckConstraint(name="daily_count_is_positive", condition=Q(count__gt=0)),)
