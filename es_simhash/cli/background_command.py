"""`es-simhash background`: count how common words and names are in an index."""

import click

from es_simhash.cli.commands import command
from es_simhash.cli.options import TableOrJson, Target
from es_simhash.cli.output import print_result
from es_simhash.maintenance.backgrounds.background_report import BackgroundReport
from es_simhash.maintenance.backgrounds.count_background import count_background
from es_simhash.text.escaping import one_line


@command
def background(
    target: Target, *, vectors: bool = False, output_format: TableOrJson = "table"
) -> None:
    """Count how common words and names are in INDEX.

    Reads a sample of 2,000 texts and stores the counts with their date in the state index
    INDEX-simhash, in place of those that were there. What is common in INDEX weighs less for
    semantic neighbours from the next question on; no document is written. Of a language with fewer
    than 200 different texts nothing is stored, and general word frequencies count. INDEX may be a
    sidecar.

    The word vectors of INDEX are learned from the same sample on request (`--vectors`), and where
    no document has been fingerprinted yet.

    Args:
        vectors: Learn the word vectors of INDEX, or learn them anew; `es-simhash backfill INDEX`
            then gives them to the documents. Until that is done, neighbours with learned vectors of
            before are compared by concepts and names.
    """
    with target.connected() as client:
        report = count_background(client, target.index, config=target.config, vectors=vectors)
    print_result(report, output_format, _print)


def _print(report: BackgroundReport) -> None:
    click.echo(one_line(report.sentence()))
