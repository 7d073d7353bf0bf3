"""Options that several commands have: the connection, fields, scheme, speed, files."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from es_simhash.cli.files import parse_query
from es_simhash.described import Parameter, parameters
from es_simhash.errors import EsSimhashError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.store.config import SETTINGS, IndexConfig
from es_simhash.store.fields import DEFAULT_FIELD

if TYPE_CHECKING:
    from es_simhash.store.elasticsearch.gateway import Client, Gateway

Command = TypeVar("Command", bound=Callable[..., Any])

Options = TypeVar("Options")


class DescribedOption(click.Option):
    """An option made of the parameter of an option class.

    Attributes:
        described: The parameter.
    """

    def __init__(self, *args: Any, described: Parameter, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.described = described


def described_options(
    options: type[Any], *, omit: Collection[str] = (), only: Collection[str] = (), **changed: Any
) -> Callable[[Command], Command]:
    """Return what adds an option for each parameter of an option class.

    A field that is added to the class is an option of each command that has them;
    `options_of` takes their values.

    Args:
        options: The option class.
        omit: Names of parameters that the command does not have.
        only: The parameters that it has; all of them by default.
        changed: Arguments of `click.option` by the name of the parameter, where the command line
            differs for a reason.
    """
    chosen = [
        parameter
        for name, parameter in parameters(options).items()
        if name not in omit and (not only or name in only)
    ]

    def add(command: Command) -> Command:
        for parameter in reversed(chosen):
            settings = {**_settings(parameter), **changed.get(parameter.name, {})}
            option = click.option(*_declarations(parameter), cls=DescribedOption, **settings)
            command = option(command)
        return command

    return add


def options_of(options: type[Options], values: dict[str, Any], **others: Any) -> Options:
    """Take the values of options out of those of a command, and return the option class.

    Args:
        options: The option class.
        values: All values of the command; those that belong to the class are removed.
        others: Values of parameters that are no options of the command.
    """
    taken: dict[str, Any] = {}
    for name, parameter in parameters(options).items():
        key = _key(parameter)
        if name not in others and key in values:
            taken[name] = _value(parameter, values.pop(key))
    return options(**taken, **others)


def _key(parameter: Parameter) -> str:
    """Return what a command calls the value: the flag, where it is not that of the field."""
    is_plural = parameter.called == parameter.name.removesuffix("s")
    return parameter.name if is_plural else parameter.called.replace("-", "_")


def _declarations(parameter: Parameter) -> tuple[str, str]:
    flag = f"--{parameter.called.replace('_', '-')}"
    if parameter.type is bool and parameter.default:
        flag = f"{flag}/--no-{flag[2:]}"
    return flag, _key(parameter)


def _settings(parameter: Parameter) -> dict[str, Any]:
    """Return the arguments of `click.option` for a parameter."""
    help = parameter.help
    settings: dict[str, Any] = {
        "described": parameter,
        "metavar": parameter.metavar,
        "show_default": True,
    }
    if parameter.type is bool:
        settings |= {"is_flag": True, "default": parameter.default}
        settings["show_default"] = bool(parameter.default)
    else:
        settings["type"] = _click_type(parameter)
        if parameter.default not in (None, ()):
            settings["default"] = parameter.default
    if parameter.is_repeatable:
        settings["multiple"] = True
        help = f"{help} Repeatable."
    if parameter.is_optional and parameter.none_for:
        settings["show_default"] = parameter.none_for
    return {**settings, "help": help}


def _click_type(parameter: Parameter) -> Any:
    if parameter.choices:
        return click.Choice(parameter.choices)
    if parameter.type is Path:
        return click.Path(dir_okay=False, path_type=Path)
    if parameter.bounds is None or parameter.type not in (int, float):
        return str if parameter.type is dict else parameter.type
    bounds = parameter.bounds
    number = click.IntRange if parameter.type is int else click.FloatRange
    return number(
        bounds.minimum,  # type: ignore[arg-type]
        bounds.maximum,  # type: ignore[arg-type]
        min_open=bounds.excludes_minimum,
        max_open=bounds.excludes_maximum,
    )


def _value(parameter: Parameter, value: Any) -> Any:
    """Return a value as the option class takes it: JSON is read."""
    if parameter.type is not dict:
        return value
    flag = f"--{parameter.called}"
    if parameter.is_repeatable:
        return tuple(parse_query(text, flag) for text in value)
    return parse_query(value, flag)


format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="Output format.",
)

vocabulary_option = click.option(
    "--vocabulary",
    type=click.Path(exists=True, dir_okay=False),
    help="Synonyms (.txt) or SKOS taxonomy (.ttl, .rdf, .jsonld) for the concepts of the evidence.",
)

scheme_option = click.option(
    "--scheme",
    default=DEFAULT.name,
    show_default=True,
    help="Published name of the fingerprint scheme.",
)

simhash_field_option = click.option(
    "--simhash-field",
    default=DEFAULT_FIELD,
    show_default=True,
    help="Object field of the fingerprints.",
)

text_field_option = click.option(
    "--text-field",
    metavar="FIELD",
    show_default="the one of `es-simhash config`, else text",
    help="Text field, or several as headline,body; dots separate the parts of a path.",
)


def index_config(
    text_field: str | None, simhash_field: str, vocabulary: str | None = None
) -> IndexConfig:
    """Return the configuration that options name; the rest is what the index says."""
    config = IndexConfig(simhash_field=simhash_field, vocabulary=vocabulary)
    return config if text_field is None else replace(config, text_field=text_field)


passage_order_option = click.option(
    "--passage-order",
    type=click.Choice(["weight", "place"]),
    default="weight",
    show_default=True,
    help="Order of the shared passages: by how much they share, or by their place in the query.",
)


def _processors() -> int:
    from es_simhash.ingestion.bulk.processes import available_processors

    return available_processors()


processes_option = click.option(
    "--processes",
    type=click.IntRange(1),
    default=_processors,
    show_default="number of processors",
    help="Number of fingerprinting processes.",
)


def run_options(command: Command) -> Command:
    """Add the options of a run over the documents of an index, as `BackfillSettings` has them."""
    from es_simhash.maintenance.backfills.backfill_job import BackfillSettings

    return described_options(
        BackfillSettings,
        only=("processes", "max_docs_per_second", "failures"),
        processes={"default": _processors, "show_default": "number of processors"},
        failures={"show_default": "INDEX.failures.jsonl in the working directory"},
    )(command)


quiet_option = click.option(
    "--quiet", is_flag=True, help="Show no progress, only failures and the summary."
)


DEFAULT_URL = "http://localhost:9200"

_OPTIONS = (
    click.option(
        "--url",
        envvar="ELASTICSEARCH_URL",
        default=DEFAULT_URL,
        show_default=True,
        show_envvar=True,
        help="URL of the cluster.",
    ),
    click.option(
        "--api-key",
        envvar="ES_SIMHASH_API_KEY",
        show_envvar=True,
        help="Encoded API key. Prefer the environment variable, which no process list shows.",
    ),
    click.option("--user", envvar="ES_SIMHASH_USER", show_envvar=True, help="User name."),
    click.option(
        "--password",
        envvar="ES_SIMHASH_PASSWORD",
        show_envvar=True,
        help="Password. Prefer the environment variable, which no process list shows.",
    ),
    click.option(
        "--ca-certs",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        envvar="ES_SIMHASH_CA_CERTS",
        show_envvar=True,
        help="PEM file of the certificate authority.",
    ),
)


def connection_options(command: Command) -> Command:
    """Add the options of the connection; `client_of` takes their values."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def client_of(
    *,
    url: str,
    api_key: str | None,
    user: str | None,
    password: str | None,
    ca_certs: Path | None,
) -> "Gateway":
    """Return a gateway to the cluster of these options; nothing is sent yet.

    Raises:
        ClusterError: The URL is invalid.
    """
    # The client takes longer to import than help takes to print.
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.elasticsearch.gateway import Gateway

    client = connect(
        url,
        api_key=api_key,
        user=user,
        password=password,
        ca_certs=str(ca_certs) if ca_certs else None,
    )
    return Gateway(client)


# How the settings are called that an option may override.
_CALLED = {"text": "Text field", "date": "Date field", "representative": "Representative"}


def note_overrides(client: "Client", index: str, config: IndexConfig, **named: str | None) -> None:
    """Say, on standard error, which named values are not those that the index is configured with.

    Args:
        client: Of the cluster.
        index: Index, alias or data stream.
        config: With the text field, where one was named.
        named: Further values by the name of the setting; None for one that was not named.
    """
    if config.names_text_field:
        named["text"] = config.text_field
    given = {name: named[name] for name in SETTINGS if named.get(name) is not None}
    if not given:
        return
    from es_simhash.store.installation.document_settings import document_settings

    try:
        stored = document_settings(client, index, simhash_field=config.simhash_field)
    except EsSimhashError:
        return  # The command itself says what is wrong with the index.
    for name, value in given.items():
        configured = getattr(stored, name)
        if configured not in (None, value):
            click.echo(
                f"{_CALLED[name]} {str(value)!r} is used in place of {configured!r}, which index "
                f"{index!r} is configured with.",
                err=True,
            )
