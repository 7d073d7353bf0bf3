"""Rendering of pages of HTML that need nothing else: no script, no font, no request."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from es_simhash.text.counting import counted, percent, plural, score_text
from es_simhash.text.escaping import printable

if TYPE_CHECKING:
    from jinja2 import Environment

# What pages call the relation of a document to another, as the widget does.
_KINDS = {
    "exact": "same text",
    "version": "version",
    "contains": "contains the other",
    "excerpt_of": "excerpt of the other",
    "shares_passages": "shared passages",
    "semantic": "similar subject",
    "none": "no relation",
}


def render_page(template: str, **values: Any) -> str:
    """Return a whole page, light or dark as the reader has it.

    Args:
        template: Name of its template.
        values: Values that the template shows.
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> "Environment":
    return environment()


def environment(*packages: str) -> "Environment":
    """Return templates, which escape what they are given.

    Args:
        packages: Names of packages with templates of their own, which may use those of the pages.
    """
    # It takes a tenth of a second, and most commands print no page.
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loaders = [PackageLoader(package) for package in (*packages, "es_simhash.pages")]
    templates = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters.update(
        day=day,
        exact=_exact,
        kind=_KINDS.__getitem__,
        one_line=shortened,
        percent=percent,
        score=score_text,
        thousands=_thousands,
        web=web_address,
    )
    templates.globals.update(style_sheet=_embedded_style_sheet, counted=counted, plural=plural)
    return templates


def style_sheet(name: str) -> str:
    """Return a file of `es_simhash/pages/styles`."""
    return (files("es_simhash.pages") / "styles" / name).read_text("ascii")


def shown_text(value: str) -> str:
    """Return text from anywhere, not escaped yet, with control characters spelt out.

    HTML has no place for them.
    """
    lines = value.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in lines)


def day(date: str | None) -> str:
    """Return a date without its time of day."""
    return (date or "").partition("T")[0]


def shortened(text: str, max_characters: int) -> str:
    """Return text as one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= max_characters else f"{line[: max_characters - 1]}…"


def web_address(link: str | None) -> str | None:
    """Return an address, if following it runs nothing."""
    return link if link and link.startswith(("https://", "http://")) else None


def _shown(value: Any) -> str:
    """Return what a template prints: markup of ours as it is, all else as text that is shown."""
    return value if isinstance(value, Markup) else shown_text(str(value))


def _exact(value: str) -> Markup:
    """Return a value for an attribute that is read again: what is not printed, by its number."""
    return Markup("".join(c if c.isprintable() else f"&#{ord(c)};" for c in escape(value)))


def _thousands(count: int) -> str:
    return f"{count:,}"


def _embedded_style_sheet(name: str) -> Markup:
    return Markup(style_sheet(name))
