"""The table of the articles."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Creates it."""

    initial = True
    operations: ClassVar[list] = [
        migrations.CreateModel(
            name="Article",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.CharField(max_length=300)),
                ("body", models.TextField()),
                ("published", models.DateTimeField()),
            ],
        )
    ]
