"""`es-simhash pairs`: every pair of versions of an index, for other tools."""

from pathlib import Path
from typing import Annotated, Literal

from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.options import MaxLoad, Quiet, TextTarget
from es_simhash.cli.progress import progress_bar
from es_simhash.cli.row_output import RowOutput
from es_simhash.constraints import constraints
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.version_pairs import PAIR_COLUMNS, version_pairs


@command
def pairs(
    target: TextTarget,
    *,
    options: Annotated[FamilyOptions, Chosen(only=("memory", "journal", "fresh"))],
    output_format: Annotated[Literal["jsonl", "csv"], constraints(called="format")] = "jsonl",
    output: Annotated[Path | None, constraints(short="o", metavar="FILE")] = None,
    max_load: MaxLoad = None,
    quiet: Quiet = False,
) -> None:
    """Print each pair of documents of INDEX that are versions of each other.

    Each has the two ids, the kind (exact, version, or joined by a person), the score, the greater
    share of one text that the other has, and the indices. All documents are compared first, as
    `es-simhash families run --all` does; nothing is written to the index. A run that was
    interrupted meanwhile resumes when it is started again. Documents with one text are a pair
    each: a thousand copies are half a million lines.

    Args:
        output_format: Output format: a JSON object, or a row, for each pair.
        output: File to write to instead of standard output.
    """
    printed = RowOutput(output_format, output)
    with target.connected(max_load=max_load) as client, progress_bar(quiet=quiet) as progress:
        found = version_pairs(
            client, target.index, options=options, config=target.config, progress=progress
        )
        printed.print_stream(list(PAIR_COLUMNS), (pair.to_dict() for pair in found))
