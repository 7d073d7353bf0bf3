"""A newsroom straight from Elasticsearch: stories, their versions, and what changed in them."""

import os
from datetime import datetime, timezone
from typing import Any

from elasticsearch import NotFoundError
from flask import Flask, Response, abort, render_template, request, url_for

from es_simhash import Index, Recency, SearchOptions, compare, connect
from es_simhash.differences.rendering.comparison_page import changes_html

client = connect(
    os.environ.get("ELASTICSEARCH_URL", "http://localhost:9200"),
    api_key=os.environ.get("ES_SIMHASH_API_KEY"),
)
index = Index(client, os.environ.get("NEWS_INDEX", "es-simhash-demo"))
# Versions of a story, all of them, newest first.
VERSIONS = SearchOptions(
    size=50, kinds=("exact", "version", "contains", "excerpt_of"), sort="-date", evidence=False
)
# Days after which the date of a neighbour counts half, and how much it counts.
HALF_LIFE, WEIGHT = 30, 0.5

app = Flask(__name__)


@app.get("/")
def front_page() -> str:
    """List the stories, newest first: of each, the version that represents its family."""
    answer = client.search(
        index=index.name,
        query={"bool": {"must_not": {"term": {"simhash.representative": False}}}},
        sort=[{"date": "desc"}],
        size=50,
        source=["title", "date", "lang"],
    )
    stories = [{"id": hit["_id"], **hit["_source"]} for hit in answer["hits"]["hits"]]
    return render_template("front.html", stories=stories)


@app.get("/stories/<path:id>")
def story(id: str) -> str:
    """Show a version of a story, beside the other versions and its background."""
    shown = stored(id)
    versions = [
        {
            "id": relation.id,
            "title": relation.document.title or relation.id,
            "date": relation.document.date,
            "direction": relation.direction,
            "changes": changes_address(*in_order(id, relation)),
        }
        for relation in index.related(id=id, options=VERSIONS)
    ]
    return render_template(
        "story.html", story=shown, versions=versions, background=background(shown)
    )


def background(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Return neighbours of a story; of those as near, what is of its time or newer comes first."""
    published = datetime.fromisoformat(shown["date"][:10]).replace(tzinfo=timezone.utc)
    recency = Recency("date", HALF_LIFE, WEIGHT, origin=published.timestamp() * 1000)
    options = SearchOptions(size=6, kinds=("shares_passages", "semantic"), recency=recency)
    return [
        {
            "id": relation.id,
            "title": relation.document.title or relation.id,
            "date": relation.document.date,
            "shared": shared_names(relation),
        }
        for relation in index.related(id=shown["id"], options=options)
    ]


def shared_names(relation: Any) -> list[str]:
    """Return the names that two stories share, those that count most first."""
    shared = relation.semantics.shared if relation.semantics else ()
    return [concept.text for concept in shared if concept.is_entity][:4]


def in_order(id: str, relation: Any) -> tuple[str, str]:
    """Return two versions, the older first."""
    return (id, relation.id) if relation.direction == "newer" else (relation.id, id)


@app.get("/changes")
def changes() -> tuple[str, dict[str, str]]:
    """Show what changed between two versions, with links to the changes before and after."""
    older, newer = request.args["older"], request.args["newer"]
    texts = stored(older)["text"], stored(newer)["text"]
    page = changes_html(
        index.changes(older, newer),
        older,
        newer,
        compare(*texts, semantics=None),
        index.timeline(older, newer),
        changes_address,
    )
    # The page has its style in itself, and nothing else.
    return page, {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}


def changes_address(older: str, newer: str) -> str:
    """Return where the changes between two versions are."""
    return url_for("changes", older=older, newer=newer)


def stored(id: str) -> dict[str, Any]:
    """Return a story as it is in the index, without the fingerprints; 404 where it is not."""
    try:
        found = client.get(index=index.name, id=id, source_excludes=["simhash"])
    except NotFoundError:
        abort(404)
    return {"id": id, **found["_source"]}


@app.template_filter("day")
def day(date: str | None) -> str:
    """Return a date as readers write it."""
    return "" if not date else f"{datetime.fromisoformat(date[:10]):%-d %B %Y}"


@app.after_request
def secured(response: Response) -> Response:
    """Allow a page nothing but the style of this site."""
    response.headers.setdefault("Content-Security-Policy", "default-src 'none'; style-src 'self'")
    return response
