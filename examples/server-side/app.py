"""A news site whose server renders the related documents; the widget takes them over."""

import json
import os
from pathlib import Path
from urllib.parse import quote

import httpx
from flask import Flask, Response, abort, render_template, request

# Where the service is, and its API key: neither is ever in a page.
SERVICE = httpx.Client(
    base_url=os.environ.get("RELATED_URL", "http://127.0.0.1:8000"),
    headers={"X-Api-Key": os.environ.get("RELATED_KEY", "")},
    timeout=2,
)
# Number of entries, the same on the server and in the widget.
SIZE = 6
# The widget asks for evidence when "Why?" is opened.
QUERY = {"size": SIZE, "evidence": "false"}
VERSIONS = ("exact", "version", "contains", "excerpt_of")
DIRECTIONS = {"newer": "newer", "older": "older", "same": "same date"}
# Headers of the service that are passed on to the browser.
PASSED_ON = ("Content-Type", "Cache-Control", "ETag", "Retry-After")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)

app = Flask(__name__)


def read_articles() -> dict[str, dict[str, str]]:
    """Return the articles of the site, which in yours come from its database."""
    sample = Path(__file__).parents[2] / "es_simhash" / "data" / "sample" / "corpus.jsonl"
    lines = Path(os.environ.get("ARTICLES", sample)).read_text("utf-8").splitlines()
    return {article["id"]: article for article in map(json.loads, lines)}


ARTICLES = read_articles()


def related_to(id: str) -> list[dict]:
    """Return what the service says is related; nothing while it is away: the page stays whole."""
    try:
        answer = SERVICE.get(f"/v1/related/{quote(id, safe='')}", params=QUERY)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        app.logger.warning("no related documents: %s", error)
        return []
    return answer.json()["relations"]


@app.get("/")
def front_page() -> str:
    """List the articles, newest first."""
    newest_first = sorted(ARTICLES.values(), key=lambda article: article["date"], reverse=True)
    return render_template("front.html", articles=newest_first)


@app.get("/articles/<path:id>")
def article(id: str) -> str:
    """Show an article, with what is related to it in the widget's element."""
    if id not in ARTICLES:
        abort(404)
    relations = related_to(id)
    versions = [relation for relation in relations if relation["kind"] in VERSIONS]
    versions.sort(key=lambda relation: relation["document"]["date"] or "", reverse=True)
    related = [relation for relation in relations if relation["kind"] not in VERSIONS]
    groups = {"Other versions": versions, "Related": related}
    return render_template(
        "article.html", article=ARTICLES[id], groups=groups, directions=DIRECTIONS, size=SIZE
    )


@app.get("/v1/related/<path:id>")
def related(id: str) -> Response:
    """Pass the widget's request on to the service, with the key that the browser does not have."""
    return passed_on(f"/v1/related/{quote(id, safe='')}", params=QUERY)


@app.get("/v1/evidence/<id>/<other>")
def evidence(id: str, other: str) -> Response:
    """Pass on what the widget asks when "Why?" is opened; ids of this site have no slash."""
    return passed_on(f"/v1/evidence/{quote(id, safe='')}/{quote(other, safe='')}")


@app.get("/widget/related-documents.js")
def widget() -> Response:
    """Pass on the widget's file."""
    return passed_on("/widget/related-documents.js")


def passed_on(path: str, **more: dict) -> Response:
    """Return what the service answers, without its own headers; 503 while it is away."""
    known = request.headers.get("If-None-Match")
    headers = {"If-None-Match": known} if known else {}
    try:
        answer = SERVICE.get(path, headers=headers, **more)
    except httpx.HTTPError:
        return Response(status=503, headers={"Retry-After": "5"})
    passed = {name: answer.headers[name] for name in PASSED_ON if name in answer.headers}
    return Response(answer.content, answer.status_code, passed)


@app.after_request
def secured(response: Response) -> Response:
    """Allow a page nothing but the files of this site."""
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
