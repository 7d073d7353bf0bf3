"""The index that follows the articles, and what is related to one: all that is es-simhash's."""

import logging
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from django.conf import settings
from elasticsearch import ApiError, Elasticsearch, TransportError

from es_simhash import (
    EsSimhashError,
    Index,
    IngestSettings,
    Relation,
    RetryPolicy,
    SearchOptions,
    connect,
)

from .models import Article

LOGGER = logging.getLogger(__name__)
VERSIONS = ("exact", "version", "contains", "excerpt_of")
OPTIONS = SearchOptions(size=6, evidence=False)
FIELDS = {"title": {"type": "text"}, "text": {"type": "text"}, "published": {"type": "date"}}
# Who saves or reads an article does not wait for a busy cluster; `index_articles` does.
SECONDS, PATIENT_SECONDS = 5, 60
AT_ONCE, PATIENT = IngestSettings(retry=RetryPolicy(max_elapsed=2)), IngestSettings()


@cache
def client(timeout: float = SECONDS) -> Elasticsearch:
    """Return the client of this process, made when it is first used: after a server has forked."""
    key = settings.ELASTICSEARCH_API_KEY
    return connect(settings.ELASTICSEARCH_URL, api_key=key, timeout=timeout)


def index(timeout: float = SECONDS) -> Index:
    """Return the index of the articles."""
    return Index(client(timeout), settings.ARTICLES_INDEX)


def document_of(article: Article) -> dict[str, Any]:
    """Return an article as it is indexed."""
    return {
        "id": str(article.pk),
        "title": article.title,
        "text": article.body,
        "published": article.published.isoformat(),
    }


def write_all(articles: Iterable[Article]) -> Iterator[str]:
    """Install the index if it is missing, and write articles; unchanged ones are not written again.

    Yields:
        Why an article is not indexed.
    """
    patient = index(PATIENT_SECONDS)
    patient.install()
    client().indices.put_mapping(index=patient.name, properties=FIELDS)
    patient.configure({"text": "text", "title": "title", "date": "published"})
    yield from _written(patient, articles, PATIENT)


def _written(index: Index, articles: Iterable[Article], how: IngestSettings) -> Iterator[str]:
    for outcome in index.ingest(map(document_of, articles), settings=how):
        if not outcome.ok:
            yield f"article {outcome.id}: {outcome.reason}"


def follow(article: Article) -> None:
    """Write an article that was saved; where that fails, the site goes on."""
    try:
        for problem in _written(index(), [article], AT_ONCE):
            LOGGER.error("%s", problem)
    except EsSimhashError as error:
        LOGGER.error("article %s is not indexed: %s", article.pk, error)


def forget(pk: int) -> None:
    """Remove an article that was deleted."""
    try:
        client().options(ignore_status=404).delete(index=settings.ARTICLES_INDEX, id=str(pk))
    except (ApiError, TransportError) as error:
        LOGGER.error("article %s is still indexed: %s", pk, error)


def related_to(article: Article) -> dict[str, list[tuple[Article, Relation]]]:
    """Return versions of an article and what is related to it; nothing while the index is away.

    Titles and addresses are those of the database: what is deleted there is not shown.
    """
    try:
        relations = list(index().related(id=str(article.pk), options=OPTIONS))
    except EsSimhashError as error:
        LOGGER.warning("no related articles: %s", error)
        return {}
    present = Article.objects.in_bulk([int(relation.id) for relation in relations])
    shown = [(present[int(each.id)], each) for each in relations if int(each.id) in present]
    return {
        "Other versions": [pair for pair in shown if pair[1].kind in VERSIONS],
        "Related": [pair for pair in shown if pair[1].kind not in VERSIONS],
    }
