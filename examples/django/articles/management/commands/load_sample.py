"""`manage.py load_sample`: the sample of es-simhash as articles of the site."""

import json
import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from articles.models import Article

SAMPLE = Path(__file__).parents[5] / "es_simhash" / "data" / "sample" / "corpus.jsonl"


class Command(BaseCommand):
    """Loads the sample, by `bulk_create`, which sends no signals: `index_articles` follows."""

    help = "Load the sample as articles."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        lines = Path(os.environ.get("ARTICLES", SAMPLE)).read_text("utf-8").splitlines()
        Article.objects.bulk_create(
            Article(
                title=each["title"],
                body=each["text"],
                published=datetime.fromisoformat(each["date"][:10]).replace(tzinfo=timezone.utc),
            )
            for each in map(json.loads, lines)
        )
