from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outbox", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="intent",
            name="parts_sent",
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="lane",
            name="progress_delivered",
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="lane",
            name="progress_edited_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="lane",
            name="progress_id",
            field=models.BinaryField(editable=True, null=True),
        ),
        migrations.AddField(
            model_name="lane",
            name="progress_message",
            field=models.BinaryField(editable=True, null=True),
        ),
        migrations.AddField(
            model_name="lane",
            name="progress_total",
            field=models.SmallIntegerField(null=True),
        ),
    ]
