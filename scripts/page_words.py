"""Count the words of the documentation: what a reader reads of it, page by page.

    python -m scripts.page_words [PAGE…]

Words of prose and tables count, names of options and fields too; code blocks, comments, tags and
addresses of links do not, nor do the generated references of the command line and of Python.
Figures, such as 0.935 in a table, are counted apart.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.build_site import ROOT

MOST_WORDS = 40_000
MOST_PAGES = 35
GENERATED = {"docs/cli.md", "docs/api.md"}
_NOT_READ = (
    re.compile(r"^( *)```.*?^\1```", re.M | re.S),
    re.compile(r"<!--.*?-->", re.S),
    re.compile(r"<[a-zA-Z/][^>]*>", re.S),
    re.compile(r"^\[[^\]]+\]:\s*\S+.*$", re.M),
    re.compile(r"(?<=\])\([^)]*\)|(?<=\])\[[^\]]*\]"),
)
_WORD, _FIGURE = re.compile(r"[^\W\d_]"), re.compile(r"\d")


class Count(NamedTuple):
    """How many words and how many figures a page has."""

    words: int
    figures: int


def count(text: str) -> Count:
    """Count what is read of a page."""
    for pattern in _NOT_READ:
        text = pattern.sub(" ", text)
    parts = text.split()
    words = [part for part in parts if _WORD.search(part)]
    figures = [part for part in parts if _FIGURE.search(part) and not _WORD.search(part)]
    return Count(len(words), len(figures))


def pages() -> list[str]:
    """Return the pages under docs/, relative to the repository."""
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))


def counts(names: Sequence[str]) -> dict[str, Count]:
    """Return the words and figures of each page."""
    return {name: count(Path(ROOT, name).read_text("utf-8")) for name in names}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the words and figures of each page, the longest first, and those of all."""
    names = (sys.argv[1:] if argv is None else argv) or [
        name for name in pages() if name not in GENERATED
    ]
    found = counts(names)
    for name in sorted(found, key=lambda each: -found[each].words):
        print(f"{found[name].words:6,} words {found[name].figures:5,} figures  {name}")
    words, figures = (sum(each) for each in zip(*found.values(), strict=True))
    print(f"{words:6,} words {figures:5,} figures  {len(found)} pages")
    print(f"at most {MOST_WORDS:,} words on {MOST_PAGES} pages beside the generated references")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
