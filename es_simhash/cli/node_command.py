"""`es-simhash node`: a local Elasticsearch for people without Docker."""

import json
from dataclasses import asdict

import click

from es_simhash import local_node as local
from es_simhash.errors import NodeError

NOT_RUNNING = 3  # the exit status that `systemctl status` and init scripts give for it

_name = click.option("--name", help="Name of the node and its data; default: its version.")
_format = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print the answer.",
)


@click.group()
def node() -> None:
    """Run a local Elasticsearch on this machine, without Docker.

    It is fetched from Maven Central, listens on the loopback interface only, and has no
    passwords. Everything lies below ES_SIMHASH_HOME (default: the user's cache folder; for
    root /var/cache/es-simhash, and the node then runs as the user nobody).
    """


@node.command()
@click.option(
    "--version",
    help=f"Elasticsearch version: {' or '.join(local.AVAILABLE_VERSIONS)}, or another from "
    f"Maven Central; default: {local.DEFAULT_VERSION}.",
)
@click.option("--heap", default=local.DEFAULT_HEAP, show_default=True, help="Heap of the JVM.")
@click.option("--port", type=click.IntRange(1, 65535), help="HTTP port; default: 9200 if free.")
@_name
@_format
def start(version: str | None, heap: str, port: int | None, name: str | None, form: str) -> None:
    """Start a node, fetching what is missing; a running one is left as it is."""
    found = local.start(
        version=version,
        name=name,
        port=port,
        heap=heap,
        report=lambda sentence: click.echo(sentence, err=True),
    )
    if form == "json":
        click.echo(_as_json(found, started=found.started))
        return
    verb = "runs" if found.started else "is already running"
    click.echo(f"Elasticsearch {found.version} {verb} at {found.url} (node {found.name}).")


@node.command()
@_name
@_format
def status(name: str | None, form: str) -> None:
    """Show a running node; exit status 3 when there is none."""
    found = _find(name)
    if found is None:
        click.echo(json.dumps({"running": False}) if form == "json" else _absent(name))
        raise SystemExit(NOT_RUNNING)
    vitals = local.vitals(found)
    if form == "json":
        click.echo(_as_json(found, running=True, **asdict(vitals)))
        return
    click.echo(f"Elasticsearch {found.version} runs at {found.url}")
    click.echo(f"  node       {found.name}, process {found.pid}")
    click.echo(f"  health     {vitals.health}")
    click.echo(f"  documents  {vitals.documents}")
    click.echo(f"  data       {found.data}")


@node.command()
@_name
def stop(name: str | None) -> None:
    """Stop a node that `start` started; its data stay."""
    found = _find(name)
    if found is None or local.stop(found.name) is None:
        click.echo(f"{_absent(name)} There is nothing to stop.")
        return
    click.echo(f"Elasticsearch {found.version} (node {found.name}) is stopped.")


def _find(name: str | None) -> local.Node | None:
    """Return the node of this name, or without a name the only one that runs."""
    if name is not None:
        return local.status(name)
    running = local.running_nodes()
    if len(running) > 1:
        names = ", ".join(found.name for found in running)
        raise NodeError(f"Several nodes run ({names}): choose one with --name.")
    return running[0] if running else None


def _absent(name: str | None) -> str:
    return "No node runs." if name is None else f"Node {name!r} does not run."


def _as_json(found: local.Node, **more: object) -> str:
    fields = {"name": found.name, "version": found.version, "url": found.url, "pid": found.pid}
    return json.dumps({**fields, "data": str(found.data), "log": str(found.log), **more})
