"""`es-simhash config`: what an index says of its documents."""

from dataclasses import asdict
from typing import Annotated, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.cli.commands import Chosen, command
from es_simhash.cli.options import StoredTarget, TableOrJson
from es_simhash.cli.output import print_json
from es_simhash.constraints import constraints
from es_simhash.described import parameters
from es_simhash.store.config import SETTINGS, DocumentSettings
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.installation.document_settings import (
    configure,
    document_settings,
)
from es_simhash.store.installation.proposal import propose_settings
from es_simhash.text.escaping import one_line

# Values of --unset: flags, with the settings they name.
_FLAGS = {
    parameter.called.replace("_", "-"): name
    for name, parameter in parameters(DocumentSettings).items()
    if name in SETTINGS
}


@command
def config(
    target: StoredTarget,
    *,
    settings: Annotated[DocumentSettings, Chosen(omit=("scoring",))],
    unset: Annotated[tuple[str, ...], constraints(choices=tuple(_FLAGS), called="unset")] = (),
    propose: bool = False,
    accept: bool = False,
    output_format: TableOrJson = "table",
) -> None:
    """Show or set how the documents of INDEX look.

    Without options, shows which fields are the text, the title, the date and so on. They are stored
    in `_meta` of the mapping, and every command, the Python API and a sweep read them there; an
    option of a command overrides them for that run.

    Args:
        unset: Option whose setting is removed.
        propose: Show what mapping and documents suggest; store nothing.
        accept: Store what mapping and documents suggest, where nothing is set.
    """
    index, simhash_field = target.index, target.simhash_field
    changes = settings.to_meta()
    if conflicting := [flag for flag in unset if _FLAGS[flag] in changes]:
        raise click.UsageError(f"--unset {conflicting[0]} contradicts --{conflicting[0]}.")
    if propose and (accept or changes or unset):
        raise click.UsageError("--propose stores nothing; give it without other settings.")
    changes |= {_FLAGS[flag]: None for flag in unset}
    with target.connected() as client:
        if propose:
            shown = propose_settings(client, index, simhash_field=simhash_field)
        else:
            if accept:
                changes = _proposed(client, index, simhash_field) | changes
            if changes:
                configure(client, index, changes, simhash_field=simhash_field)
            shown = document_settings(client, index, simhash_field=simhash_field)
    if output_format == "json":
        print_json(asdict(shown))
    else:
        _print(shown, index, is_proposal=propose)


def _proposed(client: Client, index: str, simhash_field: str) -> dict[str, Any]:
    """Return what is proposed of all that is not set."""
    present = document_settings(client, index, simhash_field=simhash_field)
    proposed = propose_settings(client, index, simhash_field=simhash_field)
    return {
        name: value for name, value in proposed.to_meta().items() if getattr(present, name) is None
    }


def _print(settings: DocumentSettings, index: str, *, is_proposal: bool) -> None:
    values = settings.to_meta()
    if is_proposal and not values:
        click.echo("No field is clear enough to be proposed; name them, as in --text-field FIELD.")
        return
    table = Table()
    # A value is copied: where the terminal is narrow, the meaning gives way to it.
    for name in ("setting", "value"):
        table.add_column(name, no_wrap=True, overflow="fold")
    table.add_column("meaning")
    for name, parameter in parameters(DocumentSettings).items():
        value = values.get(name)
        shown = Text("not set", "dim") if value is None else Text(one_line(str(value)))
        table.add_row(name, shown, parameter.help)
    Console().print(table)
    if is_proposal:
        click.echo(f"Nothing is stored. Store these with `es-simhash config {index} --accept`.")


def proposal_line(client: Client, index: str, simhash_field: str) -> str | None:
    """Return what else than the text an index may say; None if it has a title or a date."""
    present = document_settings(client, index, simhash_field=simhash_field)
    if present.title is not None or present.date is not None:
        return None
    Gateway.of(client).refresh_if_allowed(index)
    proposed = _proposed(client, index, simhash_field)
    proposed.pop("text", None)
    if not proposed:
        return None
    looks = described(DocumentSettings(**proposed))
    return (
        f"The documents look like this: {looks}. "
        f"Store that with `es-simhash config {index} --accept`."
    )


def described(settings: DocumentSettings) -> str:
    """Return settings in one line, as a question states them."""
    return ", ".join(
        f"{name}: {one_line(str(value))}" for name, value in settings.to_meta().items()
    )
