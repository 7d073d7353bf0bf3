"""The application: what is saved or deleted is followed, once the transaction is."""

from functools import partial
from typing import Any

from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_delete, post_save


class ArticlesConfig(AppConfig):
    """Connects the signals of the model."""

    name = "articles"

    def ready(self) -> None:
        """Connect them, when all models are loaded."""
        post_save.connect(saved, sender="articles.Article")
        post_delete.connect(deleted, sender="articles.Article")


def saved(instance: Any, raw: bool = False, **more: Any) -> None:
    """Follow an article; `raw` are those of `loaddata`, which `index_articles` writes at once."""
    from .search import follow

    if not raw:
        transaction.on_commit(partial(follow, instance))


def deleted(instance: Any, **more: Any) -> None:
    """Remove an article, whose key is gone when the transaction ends."""
    from .search import forget

    transaction.on_commit(partial(forget, instance.pk))
