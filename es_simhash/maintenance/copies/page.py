"""A report of copied passages as one HTML file: no script, nothing loaded from elsewhere."""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from es_simhash.differences.marked_words import marked_words
from es_simhash.fingerprints.fingerprint_scheme import SHINGLE_TOKENS
from es_simhash.maintenance.copies import sentences
from es_simhash.pages.rendering import render_page
from es_simhash.pairs.copies import CopiedPassage, CopiesReport

# More pairs make a page that browsers open slowly; JSON has all.
_MAX_PAIRS = 1000
# Characters of a passage whose equal runs are marked.
_MARKED = 20_000

# Words that follow each other, and whether they are marked.
Run = tuple[str, bool]


def copies_html(report: CopiesReport, index: str) -> str:
    """Return a report as one HTML page.

    Args:
        report: The report of the search.
        index: Name of the index, for the title.
    """
    return render_page(
        "copies.html",
        report=report,
        index=index,
        copies=report.copies[:_MAX_PAIRS],
        sentences=sentences,
        sides_of=_sides,
    )


def _sides(passage: CopiedPassage) -> tuple[list[Run], list[Run]]:
    """Return both texts of a passage, with the runs marked that the other has as well."""
    if not passage.changed or max(len(passage.a.text), len(passage.b.text)) > _MARKED:
        return [(passage.a.text, False)], [(passage.b.text, False)]
    a, b = marked_words(passage.as_shared())
    return _runs(a), _runs(b)


def _runs(words: Sequence[tuple[str, bool]]) -> list[Run]:
    runs = []
    for is_shared, group in groupby(words, key=itemgetter(1)):
        run = [word for word, _ in group]
        # Single words that both have say nothing.
        runs.append((" ".join(run), is_shared and len(run) >= SHINGLE_TOKENS))
    return runs
