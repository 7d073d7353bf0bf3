"""What is printed of the answers of `es-simhash related`."""

from collections.abc import Iterable, Mapping
from typing import Any

import click

from es_simhash.cli.output import print_json
from es_simhash.cli.relation_table import print_answer
from es_simhash.relation.answer import Answer, Grouping
from es_simhash.text.escaping import one_line


def print_answers(
    answers: dict[str, Answer], output_format: str, group: Grouping | None, fields: tuple[str, ...]
) -> None:
    """Print the relations of each query.

    Args:
        answers: The answers, by id or by what a text is called.
        output_format: `table` or `json`.
        group: What a table of its own is printed for; None for one table.
        fields: Fields of the hits to show.
    """
    if output_format == "json":
        print_by_query({id: _json(answer, group) for id, answer in answers.items()})
        for query, answer in answers.items():
            extent = answer.extent
            if extent.next_offset is not None:
                click.echo(
                    f"{len(answer)} of {extent.total} relations of {one_line(query)}; "
                    f"--from {extent.next_offset} returns the next.",
                    err=True,
                )
    else:
        for query, answer in answers.items():
            print_answer(answer, query, fields=fields, group=group)
    report_truncated(query for query, answer in answers.items() if answer.truncated)


def print_by_query(values: Mapping[str, Any]) -> None:
    """Print what was found as JSON: of one query the value alone, of several by query."""
    print_json(next(iter(values.values())) if len(values) == 1 else values)


def report_truncated(queries: Iterable[str]) -> None:
    """Say on standard error which queries had more candidates than were examined."""
    if names := [one_line(query) for query in queries]:
        click.echo(
            f"truncated: more candidates than were examined for {', '.join(names)}. "
            "Increase --candidates.",
            err=True,
        )


def _json(answer: Answer, group: Grouping | None) -> Any:
    if group is None:
        return [relation.to_dict() for relation in answer]
    groups = answer.groups(group)
    return {name: [relation.to_dict() for relation in one] for name, one in groups.items()}
