"""`es-simhash plan`: what an index of many documents will cost."""

from typing import Annotated

import click
from rich.console import Console

from es_simhash.cli.columns import Column, print_columns
from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.options import PROCESSES, Fields, Quiet, TableOrJson, gateway_to, named_indices
from es_simhash.cli.output import byte_size, duration, print_result
from es_simhash.cli.progress import progress_bar
from es_simhash.maintenance.plans.cost_model import (
    EVERYTHING,
    TEXT,
    VERSIONS,
    Costs,
    Plan,
    PlanOptions,
)
from es_simhash.maintenance.plans.measured_sample import plan_index
from es_simhash.text.counting import counted
from es_simhash.text.escaping import one_line


@command
def plan(
    target: Fields,
    *,
    options: Annotated[PlanOptions, Chosen(processes=PROCESSES)],
    output_format: TableOrJson = "table",
    quiet: Quiet = False,
) -> None:
    """Predict what an index of so many documents will cost, and advise what to choose.

    Prints disk, shards, memory, the time of ingest, backfill and families, and the milliseconds of
    a question, for versions alone and with semantic neighbours. Documents of a file are
    fingerprinted, and some are written into indices es-simhash-plan-* of their own, which are
    deleted again; without a cluster, constants say what it takes. An index is only read. JSON has
    the constants of the model as well.
    """
    naming = named_indices(target.connection)
    with naming, gateway_to(target.connection) as gateway, progress_bar(quiet=quiet) as progress:
        predicted = plan_index(gateway, options, config=target.config, progress=progress)
    print_result(predicted, output_format, _print)


def _print(plan: Plan) -> None:
    sample = plan.sample
    without = f", {sample.without_text} without a text" if sample.without_text else ""
    click.echo(
        one_line(
            f"{plan.documents:,} documents like those of {sample.source}: {sample.documents:,} "
            f"sampled{without}, {sample.characters:,.0f} characters on average"
        )
    )
    costs = plan.costs[VERSIONS], plan.costs[EVERYTHING]
    names = tuple(row[0] for row in _rows(costs[0], plan))
    cells = [tuple(row[1] for row in _rows(each, plan)) for each in costs]
    console = Console()
    print_columns(
        [
            Column("", names),
            Column("versions alone", cells[0], is_number=True),
            Column("with neighbours", cells[1], is_number=True),
        ],
        console,
        caption=f"{counted(plan.processes, 'process', 'processes')}; of each document "
        f"{byte_size(round(sample.stored[TEXT]))} on disk are its text and other fields",
    )
    for advice in plan.advice:
        click.echo(one_line(f"{advice.name:<12}{advice.value}: {advice.reason}."))


def _rows(costs: Costs, plan: Plan) -> list[tuple[str, str]]:
    return [
        ("disk, one copy", byte_size(costs.disk)),
        ("of it fingerprints and the like", byte_size(costs.growth)),
        ("primary shards", str(costs.shards)),
        ("read by questions, to be in memory", byte_size(costs.search_bytes)),
        ("ingest", duration(costs.ingest_seconds)),
        ("backfill", duration(costs.backfill_seconds)),
        ("families, first run", duration(costs.families_seconds)),
        ("families, memory at most", byte_size(costs.families_bytes)),
        ("families, files of the client", byte_size(costs.families_file_bytes)),
        ("a question", f"{costs.question_ms:.0f} ms"),
    ]
