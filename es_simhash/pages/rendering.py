"""Rendering of pages of HTML that need nothing else: no script, no font, no request."""

from collections.abc import Iterable
from html import escape
from importlib.resources import files

from es_simhash.text.escaping import printable

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def html_page(title: str, body: Iterable[str], *, style: str) -> str:
    """Return a whole page, light or dark as the reader has it.

    Args:
        title: Of the page, as text.
        body: What it shows, as HTML.
        style: Name of a file of `es_simhash/data` with the style of what is special to it.
    """
    lines = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html_text(title)}</title>",
        f"<style>\n{style_sheet('page.css')}{style_sheet(style)}</style>\n</head>\n<body>",
        *body,
        "</body>\n</html>\n",
    ]
    return "\n".join(lines)


def html_text(value: str) -> str:
    """Return text from anywhere as HTML shows it.

    Returns:
        The text, escaped; control characters, which HTML has no place for, are spelt out.
    """
    return escape(shown_text(value))


def shown_text(value: str) -> str:
    """Return text from anywhere, not escaped yet, with control characters spelt out."""
    lines = value.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in lines)


def style_sheet(name: str) -> str:
    """Return a file of `es_simhash/data` with styles."""
    return (files("es_simhash") / "data" / name).read_text("ascii")
