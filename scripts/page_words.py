"""Count the words of the documentation: what a reader reads of it, page by page.

    python -m scripts.page_words [PAGE…]

Words of prose and tables count, figures too; code blocks, comments, tags and addresses of links do
not, nor do the generated references of the command line and of Python.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

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
_WORD = re.compile(r"\w")


def words_of(text: str) -> int:
    """Return how many words of a page are read."""
    for pattern in _NOT_READ:
        text = pattern.sub(" ", text)
    return sum(1 for part in text.split() if _WORD.search(part))


def pages() -> list[str]:
    """Return the pages under docs/, relative to the repository."""
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))


def counts(names: Sequence[str]) -> dict[str, int]:
    """Return the words of each page."""
    return {name: words_of(Path(ROOT, name).read_text("utf-8")) for name in names}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the words of each page, the longest first, and those of all."""
    names = (sys.argv[1:] if argv is None else argv) or [
        name for name in pages() if name not in GENERATED
    ]
    found = counts(names)
    for name in sorted(found, key=lambda each: -found[each]):
        print(f"{found[name]:6,}  {name}")
    print(f"{sum(found.values()):6,}  words on {len(found)} pages, at most {MOST_WORDS:,}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
