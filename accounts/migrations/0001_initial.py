from django.db import migrations, models

from nekonymous_site.plane_migrations import place_tables_in_plane


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="DrainRequest",
            fields=[
                ("account_id", models.BinaryField(editable=True, primary_key=True, serialize=False)),
            ],
            options={
                "db_table": "drain_request",
            },
        ),
        migrations.CreateModel(
            name="Account",
            fields=[
                ("account_id", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("actor_hash", models.BinaryField(editable=True)),
                ("chat_route", models.BinaryField(editable=True)),
                ("display_name", models.BinaryField(editable=True, null=True)),
                ("language", models.CharField(max_length=8)),
                ("reachable", models.BooleanField(db_default=True, default=True)),
                ("created_on", models.DateField()),
            ],
            options={
                "db_table": "account",
                "constraints": [
                    models.UniqueConstraint(fields=("actor_hash",), name="account_actor_hash_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                ("account_id", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("body", models.BinaryField(editable=True)),
                ("expires_at", models.DateTimeField()),
            ],
            options={
                "db_table": "draft",
                "indexes": [models.Index(fields=["expires_at"], name="draft_expiry")],
            },
        ),
        migrations.CreateModel(
            name="PublicLink",
            fields=[
                ("slug", models.CharField(max_length=32, primary_key=True, serialize=False)),
                ("account_id", models.BinaryField(editable=True)),
                ("active", models.BooleanField(db_default=True, default=True)),
                ("created_on", models.DateField()),
            ],
            options={
                "db_table": "public_link",
                "indexes": [models.Index(fields=["account_id"], name="public_link_of_account")],
            },
        ),
        migrations.CreateModel(
            name="Unread",
            fields=[
                ("unread_id", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("account_id", models.BinaryField(editable=True)),
                ("position", models.BigIntegerField()),
                ("dedupe_tag", models.BinaryField(editable=True)),
                ("capability", models.BinaryField(editable=True)),
                (
                    "state",
                    models.CharField(choices=[("waiting", "Waiting"), ("sending", "Sending")], max_length=8),
                ),
                ("attempt_id", models.BinaryField(editable=True, null=True)),
                ("generation", models.SmallIntegerField(db_default=0, default=0)),
                ("possible_repeat", models.BooleanField(db_default=False, default=False)),
                ("unnoticed", models.BooleanField(db_default=True, default=True)),
                ("expires_on", models.DateField()),
            ],
            options={
                "db_table": "unread",
                "indexes": [
                    models.Index(
                        condition=models.Q(("unnoticed", True)),
                        fields=["account_id"],
                        name="unread_unnoticed",
                    ),
                    models.Index(fields=["expires_on"], name="unread_expiry"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("dedupe_tag",), name="unread_dedupe_tag_once"),
                    models.UniqueConstraint(fields=("account_id", "position"), name="unread_position_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("attempt_id", None), ("state", "waiting")),
                            models.Q(("attempt_id__isnull", False), ("state", "sending")),
                            _connector="OR",
                        ),
                        name="unread_owner_while_sending",
                    ),
                ],
            },
        ),
        place_tables_in_plane(
            "accounts", tables=("account", "public_link", "draft", "unread", "drain_request")
        ),
    ]
