"""`manage.py index_articles`: install the index, and write what it lacks."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from articles.models import Article
from articles.search import write_all
from es_simhash import EsSimhashError


class Command(BaseCommand):
    """Writes all articles; may be repeated, as unchanged ones are not written again."""

    help = "Install the index of the articles and write those that it lacks."

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        articles = Article.objects.order_by("pk").iterator(chunk_size=500)
        try:
            problems = list(write_all(articles))
        except EsSimhashError as error:
            raise CommandError(str(error)) from error
        for problem in problems:
            self.stderr.write(problem)
        self.stdout.write(f"{Article.objects.count()} articles, {len(problems)} not indexed.")
