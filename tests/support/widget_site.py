"""A small site with the widget in its pages, under a strict policy, and the service it asks."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from es_simhash.service.widget_script import WidgetScript
from tests.support.widget_answers import Answers

WIDGET = Path(__file__).parents[2] / "widget"
SCRIPT = WIDGET / "related-documents.js"
PAGES = Path(__file__).parents[1] / "widget" / "pages"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_ATTRIBUTES = (
    "src", "document-id", "size", "max-versions", "max-related", "options", "evidence", "lang",
    "dir", "layout", "heading-level", "compare-pattern", "family-pattern",
)  # fmt: skip
# As the service has it.
_MAX_SIZE = 50
# What a page may have in the element: a layout of its own for entries, or what its server rendered.
_CONTENTS = {
    "template": (
        '<template slot="entry"><strong><a data-link data-field="title"></a></strong> '
        '<time data-field="date"></time> <em data-field="share"></em> '
        '<a href="/help">Help</a></template>'
    ),
    "fallback": "<ul><li>Rendered on the server</li></ul>",
}
# What the service leaves out where no evidence is asked for.
_UNEXPLAINED: dict[str, Any] = {
    "evidence": [],
    "semantics": None,
    "reuse": None,
    "fields": [],
    "log_odds": None,
}
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


def page_with_widget(page: str, query: dict[str, str]) -> str:
    """Return a page with the element in it, as the query says."""
    given = {name: query[name] for name in _ATTRIBUTES if name in query}
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in given.items())
    content = "".join(part for name, part in _CONTENTS.items() if name in query)
    names = {"page-lang": "en", "page-dir": "ltr", "style": "page"}
    for name, default in names.items():
        page = page.replace(f"{{{{{name}}}}}", escape(query.get(name, default)))
    return page.replace(
        "{{widget}}", f"<related-documents{attributes}>{content}</related-documents>"
    )


class Site:
    """Pages of `tests/widget/pages`, the widget's file, and what it asks the service for.

    Attributes:
        answers: What is answered, by id; an id that is not there is a 404.
        statuses: Statuses of the next answers in place of those, first to last.
        raw: Body of all answers, where it is not None.
        gate: Answers wait until it is set.
        requested: Path and query of each request, in order.
        headers: Headers of the last request for an answer.
    """

    def __init__(self) -> None:
        self.answers: Answers = {}
        self.statuses: list[int] = []
        self.raw: bytes | None = None
        self.gate = threading.Event()
        self.requested: list[str] = []
        self.headers: dict[str, str] = {}
        self.url = ""
        self.reset({})

    def reset(self, answers: Answers) -> None:
        """Answer at once, with these."""
        self.answers, self.statuses, self.raw = answers, [], None
        self.requested, self.headers = [], {}
        self.gate.set()

    def respond(self, path: str, query: dict[str, list[str]]) -> tuple[int, str, bytes]:
        """Return status, type and body for a path."""
        if path.startswith("/v1/related/"):
            if int(query.get("size", ["1"])[0]) > _MAX_SIZE:
                return self._answer(dict, 400)
            id = unquote(path.removeprefix("/v1/related/"))
            return self._answer(lambda: self._related(id, query))
        if path.startswith("/v1/evidence/"):
            here, there = map(unquote, path.removeprefix("/v1/evidence/").split("/"))
            return self._answer(lambda: self._evidence(here, there))
        if path == "/widget/related-documents.js":
            return 200, _TYPES[".js"], WidgetScript.of(SCRIPT.read_text("utf-8")).body.content
        file = PAGES / path.lstrip("/")
        if not file.is_file():
            return 404, "text/plain", b""
        body = file.read_bytes()
        if file.suffix == ".html":
            body = page_with_widget(
                body.decode(), {name: query[name][0] for name in query}
            ).encode()
        return 200, _TYPES[file.suffix], body

    def _related(self, id: str, query: dict[str, list[str]]) -> dict[str, Any] | None:
        if id not in self.answers:
            return None
        answer: dict[str, Any] = dict(self.answers[id])
        if "kind" in query:
            kinds = [each for each in answer["relations"] if each["kind"] in query["kind"]]
            answer |= {"relations": kinds, "total": len(kinds)}
        if "size" in query:
            answer["relations"] = answer["relations"][: int(query["size"][0])]
        if query["evidence"] == ["false"]:
            answer["relations"] = [each | _UNEXPLAINED for each in answer["relations"]]
        return answer

    def _evidence(self, here: str, there: str) -> dict[str, Any] | None:
        relations = self.answers.get(here, {}).get("relations", [])
        return next(({"relation": each} for each in relations if each["id"] == there), None)

    def _answer(
        self, find: Callable[[], dict[str, Any] | None], status: int = 200
    ) -> tuple[int, str, bytes]:
        self.gate.wait(30)
        status = self.statuses.pop(0) if self.statuses else status
        answer = find() if self.raw is None else None
        if status == 200 and answer is None and self.raw is None:
            status = 404
        if status != 200:
            problem = {"type": "about:blank", "title": "no answer", "status": status}
            return status, "application/problem+json", json.dumps(problem).encode()
        return 200, "application/json", self.raw or json.dumps(answer).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, site: Site, *arguments: Any) -> None:
        self.site = site
        super().__init__(*arguments)

    def do_GET(self) -> None:
        target = urlsplit(self.path)
        self.site.requested.append(self.path)
        if target.path.startswith("/v1/related/"):
            self.site.headers = {name.lower(): value for name, value in self.headers.items()}
        status, type, body = self.site.respond(target.path, parse_qs(target.query))
        try:
            self.send_response(status)
            self.send_header("Content-Type", f"{type}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing."""


@contextmanager
def serving() -> Iterator[Site]:
    """Serve a site on a free port of the loopback interface."""
    site = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, site))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield site
    finally:
        site.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()
