"""What every plane's tables share."""

from django.db import models


class PlaneModel(models.Model):
    """A row that never prints more than its class."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"
