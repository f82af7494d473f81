from django.db import migrations, models

from nekonymous_site.plane_migrations import place_tables_in_plane


class Migration(migrations.Migration):
    dependencies = [("stats", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Event",
            fields=[
                ("event_id", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=32)),
                ("day", models.DateField()),
            ],
            options={
                "db_table": "event",
            },
        ),
        migrations.CreateModel(
            name="DailyCount",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "day", "name", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField()),
                ("name", models.CharField(max_length=32)),
                ("count", models.BigIntegerField()),
            ],
            options={
                "db_table": "daily_count",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("count__gt", 0)), name="daily_count_is_positive"
                    )
                ],
            },
        ),
        place_tables_in_plane("stats", tables=("event", "daily_count")),
    ]
