from django.db import migrations, models

from nekonymous_site.plane_migrations import place_tables_in_plane


class Migration(migrations.Migration):
    dependencies = [("safety", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Subject",
            fields=[
                ("subject_tag", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                (
                    "standing",
                    models.CharField(
                        choices=[("suspended", "Suspended"), ("banned", "Banned")], max_length=9
                    ),
                ),
                ("until", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "subject",
                "indexes": [
                    models.Index(
                        condition=models.Q(("until__isnull", False)), fields=["until"], name="subject_end"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("standing", "suspended"), ("until__isnull", False)),
                            models.Q(("standing", "banned"), ("until", None)),
                            _connector="OR",
                        ),
                        name="subject_only_a_ban_has_no_end",
                    )
                ],
            },
        ),
        place_tables_in_plane("safety", tables=("subject",)),
    ]
