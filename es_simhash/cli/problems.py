"""Lines of a file that were left out, each in a sentence on standard error."""

from collections.abc import Sequence

import click

from es_simhash.text.escaping import one_line

# Problems of one kind that are listed; of more, their number.
_MAX_PROBLEMS = 20


def print_problems(problems: Sequence[str]) -> None:
    """Print the first problems, and how many more there are."""
    for problem in problems[:_MAX_PROBLEMS]:
        click.echo(one_line(problem), err=True)
    if len(problems) > _MAX_PROBLEMS:
        click.echo(f"and {len(problems) - _MAX_PROBLEMS} more.", err=True)
