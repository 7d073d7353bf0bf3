"""Rendering of the explorer's pages: templates that escape what they are given."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment
from starlette.responses import HTMLResponse

from es_simhash.pages import rendering
from es_simhash.service.explorer.addresses import (
    Addresses,
    families_address,
    list_title,
    page_address,
)
from es_simhash.service.explorer.words import RIGHT_TO_LEFT, WORDS, reader_language
from es_simhash.service.responses import Body

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "private, no-cache",
    "Vary": "Accept-Language",
}
_STATIC = Path(__file__).parent / "static"
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_MAX_TITLE = 160


def _title(context: Mapping[str, Any] | None, id: str) -> str:
    """Return the title of a document; its id without one, or where it has vanished meanwhile."""
    return rendering.shortened((context or {}).get("title") or id, _MAX_TITLE) or id


def _language(context: Mapping[str, Any] | None) -> str | None:
    """Return the language of a document, if it can be that of an element."""
    language = (context or {}).get("language") or ""
    return language if _LANGUAGE.fullmatch(language) else None


def _values(source: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return the fields of a document by their full names, with their values as text."""
    values = []
    for name, value in source.items():
        if isinstance(value, dict):
            values += _values(value, f"{prefix}{name}.")
        elif value is not None:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            values.append((f"{prefix}{name}", text))
    return values


def environment(*, has_labels: bool = False) -> Environment:
    """Return the templates.

    Args:
        has_labels: Whether the pages lead to the one on which pairs are labelled.
    """
    templates = rendering.environment("es_simhash.service.explorer")
    templates.filters["values"] = _values
    templates.globals.update(
        has_labels=has_labels,
        families_address=families_address,
        page_address=page_address,
        title_of=_title,
        language_of=_language,
        reader_language=reader_language,
        words=WORDS,
        right_to_left=RIGHT_TO_LEFT,
    )
    return templates


@dataclass(frozen=True)
class PageWriter:
    """Renders the pages of an index.

    Attributes:
        index: Name of the index.
        has_labels: Whether the pages lead to the one on which pairs are labelled.
    """

    index: str
    has_labels: bool = False

    @cached_property
    def _templates(self) -> Environment:
        return environment(has_labels=self.has_labels)

    def page(
        self,
        template: str,
        *,
        code: int = 200,
        headers: Mapping[str, str] | None = None,
        back: str | None = None,
        **values: Any,
    ) -> HTMLResponse:
        """Return a page.

        Args:
            template: Name of its template.
            code: Status of HTTP.
            headers: Further headers.
            back: The list that the reader came from, or that this page is.
            values: Values that the template shows.
        """
        addresses = Addresses(back)
        known: dict[str, Any] = {
            "index": self.index,
            "back": back,
            "back_title": None if back is None else list_title(back),
            "addresses": addresses,
            "document_address": addresses.document,
            "compare_address": addresses.compare,
            "family_address": addresses.family,
        }
        content = self._templates.get_template(template).render({**known, **values})
        return HTMLResponse(content, code, {**_HEADERS, **(headers or {})})

    def wait(
        self, heading: str = "The documents are being counted", here: str = "Overview"
    ) -> HTMLResponse:
        """Return the page that opens again until what it waits for has been computed.

        Args:
            heading: Heading that names what is being computed.
            here: Link of the navigation that leads to the page.
        """
        # A header, so that nothing in the page takes whoever reads it elsewhere.
        headers = {"Refresh": "3", "Cache-Control": "no-store"}
        return self.page("wait.html", headers=headers, heading=heading, here=here)


def static_files() -> dict[str, tuple[str, Body]]:
    """Return type and content of the files that pages load, by their names."""
    sheets = {
        name: rendering.style_sheet(name) for name in ("page.css", "report.css", "changes.css")
    }
    sheets["explorer.css"] = (_STATIC / "explorer.css").read_text("ascii")
    files = {name: ("text/css", Body.of(sheet.encode())) for name, sheet in sheets.items()}
    for name in ("changes.js", "label.js"):
        files[name] = ("text/javascript", Body.of((_STATIC / name).read_bytes()))
    icon = Body.of((_STATIC / "icon.svg").read_bytes())
    return {**files, "icon.svg": ("image/svg+xml", icon)}
