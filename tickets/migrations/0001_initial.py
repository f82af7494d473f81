from django.db import migrations, models

from nekonymous_site.plane_migrations import place_tables_in_plane


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Ticket",
            fields=[
                ("ticket_hash", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("owner_proof", models.BinaryField(editable=True)),
                ("withdraw_tag", models.BinaryField(editable=True, null=True)),
                ("route", models.BinaryField(editable=True)),
                ("payload", models.BinaryField(editable=True, null=True)),
                ("meta", models.BinaryField(editable=True)),
                (
                    "status",
                    models.CharField(
                        choices=[("sealed", "Sealed"), ("viewed", "Viewed"), ("withdrawn", "Withdrawn")],
                        max_length=9,
                    ),
                ),
                ("expires_on", models.DateField()),
            ],
            options={
                "db_table": "ticket",
                "indexes": [models.Index(fields=["expires_on"], name="ticket_expiry")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("payload__isnull", False), ("status", "sealed")),
                            models.Q(
                                ("payload", None),
                                ("status__in", ["viewed", "withdrawn"]),
                                ("withdraw_tag", None),
                            ),
                            _connector="OR",
                        ),
                        name="ticket_payload_only_while_sealed",
                    )
                ],
            },
        ),
        place_tables_in_plane("tickets", tables=("ticket",)),
    ]
