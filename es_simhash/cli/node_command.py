"""`es-simhash node`: a local Elasticsearch for people without Docker."""

import json
from dataclasses import asdict

import click

from es_simhash.cli.groups import CommandGroup
from es_simhash.errors import NodeError
from es_simhash.local_node import lifecycle
from es_simhash.local_node.settings import AVAILABLE_VERSIONS, DEFAULT_HEAP, DEFAULT_VERSION

NOT_RUNNING = 3  # the exit status that `systemctl status` and init scripts give for it

_name = click.option(
    "--name", show_default="its version", help="Name of the node and of its data directory."
)
_format = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)


@click.group(cls=CommandGroup)
def node() -> None:
    """Run a local Elasticsearch on this machine, without Docker.

    It is downloaded from Maven Central, listens on the loopback interface only, and has no
    passwords. All files are in ES_SIMHASH_HOME (default: the user's cache directory; for root
    /var/cache/es-simhash, and the node then runs as the user nobody). ES_SIMHASH_JAVA_OPTS, if it
    is set, has further options of the JVM, separated by spaces.
    """


@node.command()
@click.option(
    "--version",
    show_default=DEFAULT_VERSION,
    help=f"Elasticsearch version: {' or '.join(AVAILABLE_VERSIONS)}, or another of Maven Central.",
)
@click.option("--heap", default=DEFAULT_HEAP, show_default=True, help="Heap size of the JVM.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    show_default="9200, or a free port if it is taken",
    help="HTTP port.",
)
@_name
@_format
def start(
    version: str | None, heap: str, port: int | None, name: str | None, output_format: str
) -> None:
    """Start a node and download what is missing; a running node is left unchanged."""
    local = lifecycle.start(
        version=version,
        name=name,
        port=port,
        heap=heap,
        report=lambda message: click.echo(message, err=True),
    )
    if output_format == "json":
        click.echo(_as_json(local, started=local.started))
        return
    verb = "is running" if local.started else "is already running"
    click.echo(f"Elasticsearch {local.version} {verb} at {local.url} (node {local.name}).")


@node.command()
@_name
@_format
def status(name: str | None, output_format: str) -> None:
    """Show the running node; the exit status is 3 when there is none."""
    local = _find(name)
    if local is None:
        click.echo(json.dumps({"running": False}) if output_format == "json" else _absent(name))
        raise SystemExit(NOT_RUNNING)
    stats = lifecycle.stats(local)
    if output_format == "json":
        click.echo(_as_json(local, running=True, **asdict(stats)))
        return
    click.echo(f"Elasticsearch {local.version} is running at {local.url}")
    click.echo(f"  node       {local.name}, process {local.pid}")
    click.echo(f"  health     {stats.health}")
    click.echo(f"  documents  {stats.documents}")
    click.echo(f"  data       {local.data}")


@node.command()
@_name
def stop(name: str | None) -> None:
    """Stop a node that `start` started; its data is kept."""
    local = _find(name)
    if local is None or lifecycle.stop(local.name) is None:
        click.echo(f"{_absent(name)} Nothing to stop.")
        return
    click.echo(f"Stopped Elasticsearch {local.version} (node {local.name}).")


def _find(name: str | None) -> lifecycle.Node | None:
    """Return the node of this name, or without a name the only running one."""
    if name is not None:
        return lifecycle.status(name)
    nodes = lifecycle.running_nodes()
    if len(nodes) > 1:
        names = ", ".join(node.name for node in nodes)
        raise NodeError(f"Several nodes are running: {names}. Set name.", parameter="name")
    return nodes[0] if nodes else None


def _absent(name: str | None) -> str:
    return "No node is running." if name is None else f"Node {name!r} is not running."


def _as_json(local: lifecycle.Node, **more: object) -> str:
    fields = {
        "name": local.name,
        "version": local.version,
        "url": local.url,
        "pid": local.pid,
    }
    return json.dumps({**fields, "data": str(local.data), "log": str(local.log), **more})
