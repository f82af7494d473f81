"""Remember of an unread row that it was refused as something that can never be shown."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("accounts", "0002_contacts_and_compositions"),)

    operations = (
        migrations.AddField(
            model_name="unread",
            name="refused",
            field=models.BooleanField(default=False, db_default=False),
        ),
    )
