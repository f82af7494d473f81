from django.db import migrations, models

from nekonymous_site.plane_migrations import place_tables_in_plane


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="BotIdentity",
            fields=[
                ("scope", models.CharField(max_length=8, primary_key=True, serialize=False)),
                ("bot_id", models.BigIntegerField()),
                ("username", models.CharField(max_length=64)),
                ("pepper_check", models.BinaryField(editable=True)),
                ("sealed_check", models.BinaryField(editable=True)),
            ],
            options={
                "db_table": "bot_identity",
            },
        ),
        migrations.CreateModel(
            name="SendPace",
            fields=[
                ("scope", models.CharField(max_length=8, primary_key=True, serialize=False)),
                ("paced_until", models.DateTimeField(null=True)),
                ("parked_until", models.DateTimeField(null=True)),
                ("failures_in_a_row", models.IntegerField(db_default=0, default=0)),
                ("failed_lane_tag", models.BinaryField(editable=True, null=True)),
            ],
            options={
                "db_table": "send_pace",
            },
        ),
        migrations.CreateModel(
            name="Intent",
            fields=[
                ("intent_id", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("intent_tag", models.BinaryField(editable=True)),
                ("kind", models.CharField(max_length=16)),
                ("lane_class", models.SmallIntegerField(choices=[(0, "talk"), (1, "post")])),
                ("lane_tag", models.BinaryField(editable=True, null=True)),
                ("position", models.BigIntegerField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "pending"),
                            ("sending", "sending"),
                            ("unknown_after_send", "unknown_after_send"),
                            ("sent", "sent"),
                            ("suppressed", "suppressed"),
                            ("failed", "failed"),
                            ("dead", "dead"),
                        ],
                        max_length=18,
                    ),
                ),
                ("attempts", models.SmallIntegerField(db_default=0, default=0)),
                ("possible_repeat", models.BooleanField(db_default=False, default=False)),
                ("not_before", models.DateTimeField(null=True)),
                ("body", models.BinaryField(editable=True, null=True)),
                ("created_on", models.DateField()),
            ],
            options={
                "db_table": "intent",
                "indexes": [models.Index(fields=["created_on"], name="intent_age")],
                "constraints": [
                    models.UniqueConstraint(fields=("intent_tag",), name="intent_tag_once"),
                    models.UniqueConstraint(fields=("lane_tag", "position"), name="intent_position_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("body", None),
                                ("lane_tag", None),
                                ("position", None),
                                ("state__in", ["sent", "suppressed", "failed"]),
                            ),
                            models.Q(
                                ("body__isnull", False),
                                ("lane_tag", None),
                                ("position", None),
                                ("state", "dead"),
                            ),
                            models.Q(
                                ("body__isnull", False),
                                ("lane_tag__isnull", False),
                                ("position__isnull", False),
                                ("state__in", ["pending", "sending", "unknown_after_send"]),
                            ),
                            _connector="OR",
                        ),
                        name="intent_scrubbed_when_over",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Lane",
            fields=[
                ("lane_tag", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("next_position", models.BigIntegerField()),
                ("due_at", models.DateTimeField(null=True)),
                ("parked_until", models.DateTimeField(null=True)),
                ("talk_paced_until", models.DateTimeField(null=True)),
                ("post_paced_until", models.DateTimeField(null=True)),
                ("lease_id", models.BinaryField(editable=True, null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("touched_at", models.DateTimeField()),
            ],
            options={
                "db_table": "lane",
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="lane_due"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ParkedUpdate",
            fields=[
                ("parked_id", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("body", models.BinaryField(editable=True)),
                ("parked_on", models.DateField()),
            ],
            options={
                "db_table": "parked_update",
                "indexes": [models.Index(fields=["parked_on"], name="parked_update_age")],
            },
        ),
        migrations.CreateModel(
            name="UpdateFailure",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "bot_id", "update_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("bot_id", models.BigIntegerField()),
                ("update_id", models.BigIntegerField()),
                ("failures", models.SmallIntegerField()),
                ("failed_on", models.DateField()),
            ],
            options={
                "db_table": "update_failure",
                "indexes": [models.Index(fields=["failed_on"], name="update_failure_age")],
            },
        ),
        migrations.CreateModel(
            name="UpdateReceipt",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "bot_id", "update_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("bot_id", models.BigIntegerField()),
                ("update_id", models.BigIntegerField()),
                ("received_on", models.DateField()),
            ],
            options={
                "db_table": "update_receipt",
                "indexes": [models.Index(fields=["received_on"], name="update_receipt_age")],
            },
        ),
        place_tables_in_plane(
            "outbox",
            tables=(
                "lane",
                "intent",
                "send_pace",
                "update_receipt",
                "update_failure",
                "parked_update",
                "bot_identity",
            ),
        ),
    ]
