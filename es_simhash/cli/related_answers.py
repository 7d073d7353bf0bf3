"""What is printed of the answers of `es-simhash related`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from es_simhash.cli.columns import Column, print_columns
from es_simhash.cli.output import print_json
from es_simhash.cli.relation_tables import count_line, field_columns, print_answer
from es_simhash.cli.row_output import RowOutput
from es_simhash.errors import DocumentMissing, EsSimhashError, InputError
from es_simhash.questions.index import Index
from es_simhash.questions.method_steps import MethodAnswer, MethodRelation
from es_simhash.relation.answer import Answer, Extent, Grouping
from es_simhash.relation.references import LeftOutIndex
from es_simhash.relation.thresholds import SCORING
from es_simhash.store.index_counts import other_threshold
from es_simhash.store.options import SearchOptions
from es_simhash.store.source import absent_names
from es_simhash.text.counting import counted
from es_simhash.text.escaping import one_line


def print_answers(
    answers: dict[str, Answer], output: RowOutput, group: Grouping | None, fields: tuple[str, ...]
) -> None:
    """Print the relations of each query, by its id or its name."""
    output.print(
        lambda: [_json(query, answer, group) for query, answer in answers.items()],
        lambda: (
            {"query": query, **relation.to_dict()}
            for query, answer in answers.items()
            for relation in answer
        ),
        lambda: _print_tables(answers, group, fields),
    )
    if output.output_format != "table":
        for query, answer in answers.items():
            extent = answer.extent
            if extent.next_offset is not None:
                click.echo(
                    f"{len(answer)} of {counted(extent.total, 'relation')} of {one_line(query)}; "
                    f"--from {extent.next_offset} returns the next.",
                    err=True,
                )
    report_absent([one.source for answer in answers.values() for one in answer], fields)
    report_truncated(query for query, answer in answers.items() if answer.truncated)
    report_other_vectors(answers)
    report_left_out({each for answer in answers.values() for each in answer.left_out})


def _print_tables(
    answers: dict[str, Answer], group: Grouping | None, fields: tuple[str, ...]
) -> None:
    for query, answer in answers.items():
        print_answer(answer, query, fields=fields, group=group)


def print_searches(bodies: list[dict[str, Any]], output: RowOutput) -> None:
    """Print the bodies of searches as JSON, also where answers are tables."""
    output.print(lambda: bodies, lambda: bodies, lambda: print_json(bodies))


def report_absent(sources: Sequence[Mapping[str, Any]], fields: Sequence[str]) -> None:
    """Say on standard error which requested fields no match has.

    It is no error: one that is not mapped may be in `_source` of other documents.
    """
    if names := absent_names(sources, fields):
        click.echo(
            f"field: no match has {', '.join(map(repr, names))}. Check the name, unless other "
            "documents have it.",
            err=True,
        )


def report_other_vectors(answers: Mapping[str, Answer]) -> None:
    """Say on standard error how many candidates could not be compared by their vectors."""
    if lacking := max((answer.other_vectors for answer in answers.values()), default=0):
        click.echo(
            f"vectors: {lacking} of the nearest documents lack those that the index has learned, "
            "and are compared by the shipped ones of English, if they have them, by concepts and "
            "names. `es-simhash status INDEX` says what to run.",
            err=True,
        )


def report_other_scoring(index: Index) -> None:
    """Say on standard error that the threshold of versions was stored for another score."""
    if (name := index.store.config.other_scoring) is not None:
        message, advice = other_threshold(one_line(name), one_line(index.name))
        click.echo(f"threshold: {message} {advice}", err=True)


def report_left_out(indices: Iterable[LeftOutIndex]) -> None:
    """Say on standard error which indices behind a name were not searched, and what to do."""
    for each in sorted(indices):
        advice = "Run `es-simhash sweep` or `backfill` of the name, which add them."
        if each.scheme is not None:
            advice = "Query it by its own name, or fingerprint its documents anew."
        click.echo(f"left out: index {one_line(each.index)} has {each.reason}. {advice}", err=True)


def report_truncated(queries: Iterable[str]) -> None:
    """Say on standard error for which queries there may be better relations than those found."""
    if names := [one_line(query) for query in queries]:
        click.echo(
            f"truncated: more candidates than were examined for {', '.join(names)}, and there may "
            "be better ones. Increase --candidates.",
            err=True,
        )


def _json(query: str, answer: Answer, group: Grouping | None) -> dict[str, Any]:
    relations: Any = [relation.to_dict() for relation in answer]
    if group is not None:
        relations = {
            name: [relation.to_dict() for relation in relations]
            for name, relations in answer.groups(group).items()
        }
    shape = _shape(query, answer.extent, answer.truncated, relations)
    left_out = [asdict(each) for each in answer.left_out]
    return {**shape, "left_out": left_out, "scoring": SCORING}


def _shape(query: str, extent: Extent, truncated: bool, relations: Any) -> dict[str, Any]:
    """Return the JSON of an answer to one query, in the one shape that all have."""
    return {
        "query": query,
        "total": extent.total,
        "is_estimate": extent.is_estimate,
        "next": extent.next_offset,
        "truncated": truncated,
        "relations": relations,
    }


@dataclass(frozen=True)
class MethodQueries:
    """Queries by a method, and how their answers are printed.

    Attributes:
        index: The index.
        method: Name of the method.
        options: Of the searches.
        output: How and where they are printed.
        explains: Whether the bodies of the searches are printed in place of the answers.
    """

    index: Index
    method: str
    options: SearchOptions
    output: RowOutput
    explains: bool

    def print_answers(self, ids: Sequence[str], text: str | None, name: str) -> None:
        """Print what the method finds for each of some documents, or for a text.

        Of several, one that is not there or that the method cannot read is one line on standard
        error, and the others are printed; the exit status is 1 then.
        """
        queries = {id: (id, None) for id in ids} if text is None else {name: (None, text)}
        if self.explains:
            ((id, given),) = queries.values()
            bodies = self.index.searches_by(self.method, id=id, text=given, options=self.options)
            print_searches(bodies, self.output)
            return
        answers: dict[str, MethodAnswer] = {}
        failures: list[EsSimhashError] = []
        for query, (id, given) in queries.items():
            try:
                answers[query] = self.index.related_by(
                    self.method, id=id, text=given, options=self.options
                )
            except (InputError, DocumentMissing) as error:
                if len(queries) == 1:
                    raise
                failures.append(error)
        self._print(answers)
        for failure in failures:
            click.echo(f"Error: {one_line(str(failure))}", err=True)
        if failures:
            raise SystemExit(1)

    def _print(self, answers: dict[str, MethodAnswer]) -> None:
        self.output.print(
            lambda: [self._json(query, answer) for query, answer in answers.items()],
            lambda: (
                {"query": query, **relation.to_dict()}
                for query, answer in answers.items()
                for relation in answer.relations
            ),
            lambda: self._print_tables(answers),
        )
        sources = [one.source for answer in answers.values() for one in answer.relations]
        report_absent(sources, self.options.fields)
        report_truncated(query for query, answer in answers.items() if answer.truncated)

    def _json(self, query: str, answer: MethodAnswer) -> dict[str, Any]:
        relations = [relation.to_dict() for relation in answer.relations]
        return _shape(query, self._extent(answer), answer.truncated, relations)

    def _extent(self, answer: MethodAnswer) -> Extent:
        start = self.options.offset
        end = start + len(answer.relations)
        following = end if end < answer.total else None
        return Extent(answer.total, offset=start, next_offset=following)

    def _print_tables(self, answers: dict[str, MethodAnswer]) -> None:
        for query, answer in answers.items():
            self._print_table(query, answer)

    def _print_table(self, query: str, answer: MethodAnswer) -> None:
        console = Console()
        title = f"{self.method} of {one_line(query)}"
        if not answer.relations:
            console.print(Text(f"{title}: no documents found."), highlight=False, soft_wrap=True)
            return
        console.print(Text(title, "italic"), soft_wrap=True)
        print_columns(self._columns(answer.relations), console)
        extent = self._extent(answer)
        line = count_line(len(answer.relations), extent, truncated=answer.truncated)
        console.print(Text(line, "dim"), highlight=False)

    def _columns(self, relations: Sequence[MethodRelation]) -> list[Column]:
        return [
            Column("id", [one.id for one in relations]),
            Column("kind", [one.kind for one in relations]),
            Column("score", [f"{one.score:.4f}" for one in relations], is_number=True),
            Column("differing", [_differing(one) for one in relations], rank=1),
            *field_columns(self.options.fields, [one.source for one in relations]),
        ]


def _differing(relation: MethodRelation) -> str:
    evidence = relation.evidence
    return f"{evidence.distance} of {evidence.units} {evidence.unit}"
