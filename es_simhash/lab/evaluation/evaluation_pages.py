"""An evaluation as Markdown and as a page of HTML."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from es_simhash.differences.rendering.comparison_page import ComparisonPage
from es_simhash.differences.text_changes import changes
from es_simhash.lab.evaluation.curve_pictures import curve_plots
from es_simhash.lab.evaluation.evaluation_figures import SetEvaluation
from es_simhash.lab.evaluation.evaluation_tables import (
    Table,
    headline,
    lines_of,
    tables_of,
    verdict,
    wrong_lines,
)
from es_simhash.pages.rendering import render_page
from es_simhash.text.escaping import one_line

# Characters of a text whose differences are shown.
_COMPARED = 3_000
_MARKED = str.maketrans({mark: f"\\{mark}" for mark in "\\|*_`<>[]"})


def markdown(evaluations: Sequence[SetEvaluation]) -> str:
    """Return an evaluation as Markdown; the best of each column is bold."""
    return "\n".join(line for evaluation in evaluations for line in _markdown_lines(evaluation))


def _markdown_lines(evaluation: SetEvaluation) -> Iterator[str]:
    yield f"## {_plain(headline(evaluation))}\n"
    yield f"{' '.join(map(_plain, verdict(evaluation)))}\n"
    for table in tables_of(evaluation):
        yield from markdown_table(table)
        yield ""
    yield from (f"- {_plain(line)}" for line in lines_of(evaluation))
    if evaluation.wrong:
        yield f"\n### {_wrong_title(evaluation)}\n"
    for pair in evaluation.wrong:
        first, *more = wrong_lines(pair)
        yield f"- {_plain(first)}"
        yield from (f"  - {_plain(line)}" for line in more)
    yield ""


def markdown_table(table: Table) -> Iterator[str]:
    """Yield the lines of a table, its title first."""
    yield f"### {table.title}\n"
    yield f"| {' | '.join(table.columns)} |"
    yield f"|{' --- |' * len(table.columns)}"
    for row, cells in enumerate(table.rows):
        shown = (
            f"**{_plain(cell)}**" if (row, column) in table.best else _plain(cell)
            for column, cell in enumerate(cells)
        )
        yield f"| {' | '.join(shown)} |"


def _plain(text: str) -> str:
    return one_line(text).translate(_MARKED)


def _wrong_title(evaluation: SetEvaluation) -> str:
    name = evaluation.methods[0].name
    return f"Pairs that {name} gets wrong: {len(evaluation.wrong)} of {evaluation.wrong_total}"


def evaluation_html(evaluations: Sequence[SetEvaluation]) -> str:
    """Return an evaluation as one page of HTML that needs nothing else."""
    return render_page("evaluation.html", evaluations=[_parts(each) for each in evaluations])


def _parts(evaluation: SetEvaluation) -> dict[str, Any]:
    """Return what a section of the page shows."""
    first, *more = verdict(evaluation)
    labelled = evaluation.labelled
    texts = dict(zip(labelled.ids, labelled.texts, strict=True)) if evaluation.wrong else {}
    return {
        "headline": headline(evaluation),
        "verdict": first,
        "reasons": more,
        "tables": tables_of(evaluation),
        "lines": lines_of(evaluation),
        "plots": curve_plots(evaluation),
        "wrong_title": _wrong_title(evaluation),
        "wrong": [
            (
                wrong_lines(pair, passages=False),
                _comparison(pair.first, pair.second, texts),
            )
            for pair in evaluation.wrong
        ],
    }


def _comparison(first: str, second: str, texts: Mapping[str, str]) -> ComparisonPage:
    """Return both texts side by side; of long ones the beginnings."""
    one, other = (texts[id][:_COMPARED] for id in (first, second))
    return ComparisonPage(changes(one, other), first, second)
