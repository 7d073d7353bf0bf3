"""Small pieces of HTML that several parts of a report have."""

from collections.abc import Iterator

from es_simhash.text.html import html_text


def linked(html: str, address: str | None) -> str:
    """Return HTML as a link to an address; as it is without one."""
    if address is None:
        return html
    return f'<a href="{html_text(address)}" rel="noreferrer">{html}</a>'


def table_head(first: str, second: str) -> Iterator[str]:
    """Yield the head of a table of a number and something else, and the start of its body."""
    yield (
        f'<thead><tr><th scope="col" class="number">{first}</th><th scope="col">{second}</th>'
        "</tr></thead><tbody>"
    )


def shortened(text: str, max_characters: int) -> str:
    """Return text as one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= max_characters else f"{line[: max_characters - 1]}…"
