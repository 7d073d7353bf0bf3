"""`es-simhash status`: how many documents of an index have what."""

from collections.abc import Iterator
from typing import Any

import click

from es_simhash.cli.options import client_of, connection_options, simhash_field_option
from es_simhash.cli.showing import format_option, print_json, printable
from es_simhash.diagnostics.status import SchemeCoverage, Status, count_documents
from es_simhash.storage.config import IndexConfig

_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


@click.command()
@click.argument("index")
@click.option(
    "--size/--no-size",
    default=True,
    show_default=True,
    help="Ask what our fields take on the disk; the cluster reads the index for it.",
)
@format_option
@simhash_field_option
@connection_options
def status(index: str, size: bool, form: str, simhash_field: str, **connection: Any) -> None:
    """Count the documents of INDEX by their fingerprints, families and duplicates.

    Reads only. The size of the fields needs the privilege `manage`, and is left out without it.
    """
    with client_of(**connection) as client:
        found = count_documents(
            client, index, config=IndexConfig(simhash_field=simhash_field), with_size=size
        )
    if form == "json":
        print_json(found.to_dict())
        return
    print_status(found)
    if size:
        click.echo(f"{'size':<14}{_sizes(found)}")


def print_status(found: Status) -> None:
    """Print what the documents of an index have, a line each."""
    for name, told in _lines(found):
        click.echo(f"{name:<14}{told}")


def _lines(found: Status) -> Iterator[tuple[str, str]]:
    yield "index", f"{printable(found.index)}, {found.documents} documents"
    yield from _coverage("fingerprints", found.fingerprints)
    yield "empty", f"{found.empty} texts without a word"
    yield "failed", f"{found.failed} could not be fingerprinted by the ingest pipeline"
    if found.profiles is None:
        yield "neighbours", "none: the index finds versions alone"
    else:
        yield from _coverage("neighbours", found.profiles)
    yield "families", f"{found.families}, of {found.in_families} documents"
    yield "duplicates", f"{found.duplicates} flagged"


def _coverage(name: str, coverage: SchemeCoverage) -> Iterator[tuple[str, str]]:
    yield (
        name,
        f"{coverage.current} of scheme {printable(coverage.scheme)}, "
        f"{coverage.another} of another, {coverage.none} of none",
    )
    for scheme, count in coverage.others.items():
        yield "", f"{count} of {printable(scheme)}"


def _sizes(found: Status) -> str:
    if found.bytes is None:
        return "not known: the cluster has no such API, or the privilege `manage` is missing"
    shown = ", ".join(f"{name} {_size(count)}" for name, count in found.bytes.items() if count)
    return f"{_size(sum(found.bytes.values()))} beyond _source: {printable(shown)}"


def _size(count: int) -> str:
    for unit, name in _UNITS:
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} bytes"
