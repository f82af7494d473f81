from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from accounts.services import seal_contact_salt
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.plane_migrations import place_tables_in_plane


def _seal_contact_salts(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Give each account that is there already a salt of its own. Needs the keys, if there is any."""
    alias = schema_editor.connection.alias
    accounts = apps.get_model("accounts", "Account").objects.using(alias)
    for account in accounts.filter(contact_salt=None).iterator():
        account.contact_salt = seal_contact_salt(AccountId(bytes(account.account_id)))
        account.save(using=alias, update_fields=["contact_salt"])


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Block",
            fields=[
                ("block_id", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("account_id", models.BinaryField(editable=True)),
                ("block_tag", models.BinaryField(editable=True)),
                ("note", models.BinaryField(editable=True)),
            ],
            options={
                "db_table": "block",
            },
        ),
        migrations.CreateModel(
            name="Composition",
            fields=[
                ("composition_id", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("account_id", models.BinaryField(editable=True)),
                ("body", models.BinaryField(editable=True)),
                ("ready_at", models.DateTimeField(null=True)),
                ("expires_at", models.DateTimeField()),
            ],
            options={
                "db_table": "composition",
            },
        ),
        migrations.CreateModel(
            name="Nickname",
            fields=[
                ("contact_tag", models.BinaryField(editable=True, primary_key=True, serialize=False)),
                ("account_id", models.BinaryField(editable=True)),
                ("name", models.BinaryField(editable=True)),
            ],
            options={
                "db_table": "nickname",
            },
        ),
        migrations.RemoveConstraint(
            model_name="unread",
            name="unread_owner_while_sending",
        ),
        migrations.AddField(
            model_name="account",
            name="paused_until",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="account",
            name="refused_kinds",
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="account",
            name="time_zone",
            field=models.CharField(db_default="UTC", default="UTC", max_length=64),
        ),
        migrations.AddField(
            model_name="unread",
            name="withdraw_tag",
            field=models.BinaryField(editable=True, null=True),
        ),
        migrations.AlterField(
            model_name="unread",
            name="state",
            field=models.CharField(
                choices=[("waiting", "Waiting"), ("sending", "Sending"), ("filtered", "Filtered")],
                max_length=8,
            ),
        ),
        migrations.AddConstraint(
            model_name="unread",
            constraint=models.UniqueConstraint(fields=("withdraw_tag",), name="unread_withdraw_tag_once"),
        ),
        migrations.AddConstraint(
            model_name="unread",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("attempt_id", None), ("state__in", ["waiting", "filtered"])),
                    models.Q(("attempt_id__isnull", False), ("state", "sending")),
                    _connector="OR",
                ),
                name="unread_owner_while_sending",
            ),
        ),
        migrations.AddIndex(
            model_name="block",
            index=models.Index(fields=["account_id"], name="block_of_account"),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.UniqueConstraint(fields=("block_tag",), name="block_tag_once"),
        ),
        migrations.AddIndex(
            model_name="composition",
            index=models.Index(
                condition=models.Q(("ready_at__isnull", False)), fields=["ready_at"], name="composition_ready"
            ),
        ),
        migrations.AddIndex(
            model_name="composition",
            index=models.Index(
                condition=models.Q(("ready_at__isnull", True)),
                fields=["expires_at"],
                name="composition_expiry",
            ),
        ),
        migrations.AddIndex(
            model_name="composition",
            index=models.Index(fields=["account_id"], name="composition_of_account"),
        ),
        migrations.AddConstraint(
            model_name="composition",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ready_at__isnull", False)),
                fields=("account_id",),
                name="composition_gathers_once",
            ),
        ),
        migrations.AddIndex(
            model_name="nickname",
            index=models.Index(fields=["account_id"], name="nickname_of_account"),
        ),
        migrations.AddField(
            model_name="account",
            name="contact_salt",
            field=models.BinaryField(editable=True, null=True),
        ),
        migrations.RunPython(_seal_contact_salts, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="account",
            name="contact_salt",
            field=models.BinaryField(editable=True),
        ),
        migrations.AddIndex(
            model_name="account",
            index=models.Index(
                condition=models.Q(("paused_until__isnull", False)),
                fields=["paused_until"],
                name="account_pause_end",
            ),
        ),
        migrations.RunSQL(
            "UPDATE accounts.account SET time_zone = 'Asia/Tehran' WHERE language = 'fa'",
            reverse_sql=migrations.RunSQL.noop,
        ),
        place_tables_in_plane("accounts", tables=("block", "composition", "nickname")),
    ]
