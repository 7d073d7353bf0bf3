"""The model whose related documents are shown."""

from django.db import models
from django.urls import reverse


class Article(models.Model):
    """An article; nothing of it is for es-simhash."""

    title = models.CharField(max_length=300)
    body = models.TextField()
    published = models.DateTimeField()

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        return reverse("article", args=[self.pk])
