"""An evaluation as Markdown and as a page of HTML."""

from collections.abc import Iterator, Sequence

from es_simhash.lab.evaluation.model import SetEvaluation
from es_simhash.lab.evaluation.plots import plots_of
from es_simhash.lab.evaluation.tables import Table, headline, lines_of, tables_of, wrong_lines
from es_simhash.pages.rendering import html_page, html_text
from es_simhash.text.escaping import one_line

_MARKED = str.maketrans({mark: f"\\{mark}" for mark in "\\|*_`<>[]"})


def markdown(evaluations: Sequence[SetEvaluation]) -> str:
    """Return an evaluation as Markdown; the best of each column is bold."""
    return "\n".join(line for evaluation in evaluations for line in _markdown_lines(evaluation))


def _markdown_lines(evaluation: SetEvaluation) -> Iterator[str]:
    yield f"## {_plain(headline(evaluation))}\n"
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
    body = [part for evaluation in evaluations for part in _sections(evaluation)]
    return html_page(
        "Methods on labelled pairs",
        ["<header><h1>Methods on labelled pairs</h1></header><main>", *body, "</main>"],
        style="evaluation.css",
    )


def _sections(evaluation: SetEvaluation) -> Iterator[str]:
    yield f"<section><h2>{html_text(headline(evaluation))}</h2>"
    for table in tables_of(evaluation):
        yield from _html_table(table)
    yield "<ul>"
    yield from (f"<li>{html_text(line)}</li>" for line in lines_of(evaluation))
    yield '</ul><div class="plots">'
    yield from (f"<figure>{plot}</figure>" for plot in plots_of(evaluation).values())
    yield "</div>"
    if evaluation.wrong:
        yield f"<h3>{html_text(_wrong_title(evaluation))}</h3><ol>"
        for pair in evaluation.wrong:
            first, *more = wrong_lines(pair)
            yield f"<li><p>{html_text(first)}</p>"
            yield from (f'<p class="dim">{html_text(line)}</p>' for line in more)
            yield "</li>"
        yield "</ol>"
    yield "</section>"


def _html_table(table: Table) -> Iterator[str]:
    yield f'<div class="scroll"><table><caption>{html_text(table.title)}</caption><thead><tr>'
    yield from (f'<th scope="col">{html_text(name)}</th>' for name in table.columns)
    yield "</tr></thead><tbody>"
    for row, (name, *cells) in enumerate(table.rows):
        yield f'<tr><th scope="row">{html_text(name)}</th>'
        for column, cell in enumerate(cells, 1):
            shown = html_text(cell)
            yield f"<td>{f'<b>{shown}</b>' if (row, column) in table.best else shown}</td>"
        yield "</tr>"
    yield "</tbody></table></div>"
