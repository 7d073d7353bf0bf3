"""`es-simhash connection`: how the cluster is reached."""

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from es_simhash.cli.commands import command
from es_simhash.cli.options import ShownConnection, TableOrJson, gateway_to
from es_simhash.cli.output import print_json
from es_simhash.store.connection import DEFAULT_URL
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.profiles import ChosenConnection
from es_simhash.text.escaping import one_line


@command
def connection(*, chosen: ShownConnection, output_format: TableOrJson = "table") -> None:
    """Show how the cluster is reached, from where each value is, and whether it answers.

    An option counts before its environment variable, and that before the profile. Secrets are
    shown as `***`. Every command that asks a cluster has these options.
    """
    with gateway_to(chosen.connection) as gateway:
        _print(chosen, output_format)
        try:
            answer = gateway.once("GET", "/")
        except RequestRejected as error:
            if error.status == 401:
                raise
            # Whoever may read an index need not have the right to ask the cluster for its version.
            answer = {}
        version = answer.get("version", {})
        product = "OpenSearch" if version.get("distribution") == "opensearch" else "Elasticsearch"
        name = one_line(f"{product} {version.get('number', '')}".strip())
        click.echo(f"{name} answers at {gateway.address}.", err=output_format == "json")


def _print(chosen: ChosenConnection, output_format: str) -> None:
    shown = chosen.connection.shown()
    shown.pop("profile", None)
    origins = dict(chosen.origins)
    if not {"url", "cloud_id"} & shown.keys():
        shown, origins = {"url": DEFAULT_URL, **shown}, {"url": "default", **origins}
    rows = [(name, str(value), origins.get(name, "default")) for name, value in shown.items()]
    if output_format == "table":
        table = Table()
        for heading in ("setting", "value", "from"):
            table.add_column(heading, overflow="fold")
        for row in rows:
            table.add_row(*(Text(one_line(cell)) for cell in row))
        Console().print(table)
    else:
        print_json({name: {"value": value, "from": origin} for name, value, origin in rows})
