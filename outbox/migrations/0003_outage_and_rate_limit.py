from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outbox", "0002_parts_and_progress"),
    ]

    operations = [
        migrations.AddField(
            model_name="sendpace",
            name="failures_of_any_lane",
            field=models.IntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="sendpace",
            name="limited_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="sendpace",
            name="limited_lane_tag",
            field=models.BinaryField(editable=True, null=True),
        ),
    ]
