"""Pages of the site."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse_lazy
from django.views.generic import DeleteView, UpdateView

from .models import Article
from .search import related_to


def front_page(request: HttpRequest) -> HttpResponse:
    """List the articles, newest first."""
    articles = Article.objects.order_by("-published").only("title", "published")[:100]
    return render(request, "front.html", {"articles": articles})


def article(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an article, with its other versions and what is related to it."""
    shown = get_object_or_404(Article, pk=pk)
    return render(request, "article.html", {"article": shown, "groups": related_to(shown)})


# In your site these need a user with permissions.
edit: Any = UpdateView.as_view(model=Article, fields=["title", "body"], template_name="form.html")
delete: Any = DeleteView.as_view(
    model=Article, success_url=reverse_lazy("front"), template_name="form.html"
)

urlpatterns = [
    path("", front_page, name="front"),
    path("articles/<int:pk>", article, name="article"),
    path("articles/<int:pk>/edit", edit, name="edit"),
    path("articles/<int:pk>/delete", delete, name="delete"),
]
