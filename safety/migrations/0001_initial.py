from django.db import migrations

from nekonymous_site.plane_migrations import place_tables_in_plane


class Migration(migrations.Migration):
    initial = True

    dependencies = ()

    operations = (place_tables_in_plane("safety", tables=()),)
