"""Options that several commands have: the connection, the index and its fields, versions, files."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click
from click.core import ParameterSource

from es_simhash.cli.commands import Chosen, NearestChoice
from es_simhash.cli.help import CONNECTION_GROUP, DescribedOption
from es_simhash.constraints import constraints
from es_simhash.described import parameters
from es_simhash.errors import EsSimhashError, IndexMissing
from es_simhash.ingestion.deduplication.version_rules import ACTIONS, OnVersion
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.store.config import SETTINGS, IndexConfig
from es_simhash.store.connection import DEFAULT_URL, Connection
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.profiles import ChosenConnection, choose_connection, misspelt_variables

if TYPE_CHECKING:
    from es_simhash.store.elasticsearch.gateway import Gateway

_EXISTING = click.Path(exists=True, dir_okay=False)

TableOrJson = Annotated[
    Literal["table", "json"],
    constraints(called="format", help="Output format.", group="Output"),
]
PassageOrder = Annotated[
    Literal["weight", "place"],
    constraints(
        help="Order of the shared passages: by how much they share, or by their place in the "
        "query.",
        group="Output",
    ),
]
Quiet = Annotated[
    bool, constraints(help="Show no progress, only failures and the summary.", group="Output")
]
# Begins the name of a set of the cluster, as a vocabulary.
_SYNONYMS_SET = "synonyms:"


class _VocabularyPath(click.Path):
    """A file of a vocabulary, or a synonyms set of the cluster where a command reads one."""

    def __init__(self, *, takes_sets: bool) -> None:
        super().__init__(exists=True, dir_okay=False)
        self._takes_sets = takes_sets

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value).startswith(_SYNONYMS_SET):
            return super().convert(value, param, ctx)
        if self._takes_sets:
            return value
        return self.fail(
            f"{value!r} is in a cluster, and this command reads files alone.", param, ctx
        )


_VOCABULARY = (
    "Synonyms (.txt) or SKOS taxonomy (.ttl, .rdf, .jsonld) for the concepts of the evidence"
)
Vocabulary = Annotated[
    str | None,
    _VocabularyPath(takes_sets=True),
    constraints(help=f"{_VOCABULARY}; synonyms:NAME is a set of the cluster.", group="Fields"),
]
VocabularyFile = Annotated[
    str | None,
    _VocabularyPath(takes_sets=False),
    constraints(help=f"{_VOCABULARY}.", group="Fields"),
]
MaxLoad = Annotated[
    float | None,
    constraints(
        above=0,
        below=100,
        metavar="PERCENT",
        help="Requests wait while a node has more than this share of its processors in use; also "
        "while searches or writes wait for a thread there, or its memory is nearly used up. Needs "
        "the cluster privilege `monitor`.",
        group="Run",
    ),
]
MetricsFile = Annotated[
    Path | None,
    constraints(
        help="Prometheus text file that counts are added to: one of the textfile collector of "
        "the node exporter.",
        group="Run",
    ),
]
ChangesFile = Annotated[
    Path | None,
    constraints(
        help="JSONL file to which changes are appended: families that were joined or split, and "
        "documents that moved.",
        group="Run",
    ),
]

# The schemes of semantic profiles; a vocabulary is a file here.
Semantics = Annotated[
    SemanticScheme,
    constraints(group="Semantics"),
    Chosen(
        omit=("vocabulary",),
        extractor={
            "default": DEFAULT_SEMANTICS.extractor,
            "show_default": "builtin, with jieba and wordfreq if installed",
        },
    ),
]


def chosen_connection(**values: Any) -> ChosenConnection:
    """Return the connection of the command that runs, and where its values are from."""
    context = click.get_current_context()
    given: dict[ParameterSource, dict[str, Any]] = {}
    for option in context.command.params:
        if isinstance(option, DescribedOption) and option.described.name in values:
            source = context.get_parameter_source(str(option.name))
            if source is not None:
                name = option.described.name
                given.setdefault(source, {})[name] = values[name]
    chosen = choose_connection(
        given.get(ParameterSource.COMMANDLINE, {}),
        given.get(ParameterSource.ENVIRONMENT, {}),
        uses_default=True,
    )
    if chosen.note:
        click.echo(chosen.note, err=True)
    for name, read in misspelt_variables(os.environ).items():
        click.echo(f"{name} is not read: use {read}.", err=True)
    return chosen


def _connection(**values: Any) -> Connection:
    return chosen_connection(**values).connection


_CERTIFICATES: dict[str, Any] = {
    name: {"type": _EXISTING} for name in ("ca_certs", "client_cert", "client_key")
}
_AS_OPTIONS: dict[str, Any] = {"url": {"show_default": DEFAULT_URL}, **_CERTIFICATES}
# How a command reaches the cluster; and where that is from, for the one that shows it.
ClusterConnection = Annotated[
    Connection, constraints(group=CONNECTION_GROUP), Chosen(make=_connection, **_AS_OPTIONS)
]
ShownConnection = Annotated[
    ChosenConnection,
    Chosen(
        make=chosen_connection,
        options=Connection,
        **{name: {**_AS_OPTIONS.get(name, {}), "hidden": False} for name in parameters(Connection)},
    ),
]


def gateway_to(connection: Connection, max_load: float | None = None) -> "Gateway":
    """Return a gateway to a cluster; nothing is sent yet.

    Args:
        connection: How it is reached.
        max_load: Percent of the processors of a node in use above which requests wait; None for no
            bound.

    Raises:
        ClusterError: The URL is invalid.
        InputError: Values of the connection do not go together.
    """
    # These take longer to import than help takes to print.
    from es_simhash.store.elasticsearch.connection import connect
    from es_simhash.store.elasticsearch.gateway import Gateway

    gateway = Gateway(connect(connection))
    return gateway if max_load is None else gateway.bounded(max_load)


def vocabulary_file(named: str | None, connection: Connection) -> str | None:
    """Return the file of a vocabulary; a synonyms set of the cluster is written to one.

    Raises:
        InputError: There is no such set.
        ClusterError: The cluster has no such sets, or they may not be read.
    """
    if named is None or not named.startswith(_SYNONYMS_SET):
        return named
    from es_simhash.store.elasticsearch.synonyms_sets import synonyms_file

    with gateway_to(connection) as gateway:
        return synonyms_file(gateway, named.removeprefix(_SYNONYMS_SET))


@contextmanager
def named_indices(connection: Connection, *, may_create: str | None = None) -> Iterator[None]:
    """Say which index was probably meant where one is named that does not exist.

    Args:
        connection: The cluster it is in.
        may_create: The index that whoever names it may want to create.

    Raises:
        IndexMissing: An index does not exist.
    """
    try:
        yield
    except IndexMissing as error:
        if not error.index:
            raise
        from es_simhash.store.elasticsearch.index_names import missing_index_error

        with gateway_to(connection) as gateway:
            raise missing_index_error(
                gateway, error.index, may_create=error.index == may_create
            ) from error


# How the settings are called that an option may override.
_CALLED = {
    "text": "Text field",
    "date": "Date field",
    "representative": "Representative",
    "within": "Field within",
}


@dataclass(frozen=True)
class Target:
    """An index, and how its documents are read.

    Attributes:
        index: Index, alias or data stream; empty where a command may do without.
        vocabulary: Synonyms or taxonomy: a file, or synonyms:NAME.
        text_field: Text field, or several as headline,body; dots separate the parts of a path;
            None for the one of `es-simhash config`, else text.
        simhash_field: Object field of the fingerprints.
        connection: The cluster it is in.
    """

    index: str = field(metadata=constraints(is_argument=True))
    vocabulary: Vocabulary = None
    text_field: str | None = field(default=None, metadata=constraints(group="Fields"))
    simhash_field: str = field(default=DEFAULT_FIELD, metadata=constraints(group="Fields"))
    connection: ClusterConnection = field(default_factory=Connection)

    @cached_property
    def config(self) -> IndexConfig:
        """The configuration that options name; the rest is what the index says.

        A synonyms set of the cluster is read once.
        """
        vocabulary = vocabulary_file(self.vocabulary, self.connection)
        config = IndexConfig(simhash_field=self.simhash_field, vocabulary=vocabulary)
        return config if self.text_field is None else replace(config, text_field=self.text_field)

    @contextmanager
    def connected(
        self, *, max_load: float | None = None, **named: str | None
    ) -> Iterator["Gateway"]:
        """Connect, and say on standard error which values the index is configured otherwise with.

        Args:
            max_load: How busy the nodes may be; see `gateway_to`.
            named: Values besides the text field, by the name of the setting; None for one that was
                not named.
        """
        gateway = gateway_to(self.connection, max_load)
        with named_indices(self.connection), gateway as connected:
            self._note_overrides(connected, named)
            yield connected

    def _note_overrides(self, gateway: "Gateway", named: dict[str, str | None]) -> None:
        named = {**named, "text": self.text_field}
        given = {name: named[name] for name in SETTINGS if named.get(name) is not None}
        if not given or not self.index:
            return
        from es_simhash.store.installation.document_settings import document_settings

        try:
            stored = document_settings(gateway, self.index, simhash_field=self.simhash_field)
        except EsSimhashError:
            return  # The command itself says what is wrong with the index.
        for name, value in given.items():
            configured = getattr(stored, name)
            if configured not in (None, value):
                click.echo(
                    f"{_CALLED[name]} {value!r} is used in place of {configured!r}, which index "
                    f"{self.index!r} is configured with.",
                    err=True,
                )


# An index whose texts are read, and one of which only what is stored of them is.
TextTarget = Annotated[Target, Chosen(omit=("vocabulary",))]
StoredTarget = Annotated[Target, Chosen(omit=("vocabulary", "text_field"))]
# The fields, for a command that may have no index.
no_index = partial(Target, "")
Fields = Annotated[Target, Chosen(omit=("index", "vocabulary"), make=no_index)]


class VersionChoice(NamedTuple):
    """What is done with versions.

    Attributes:
        rules: The rules; None for nothing.
        date_field: Date field that was named, whatever it is for.
    """

    rules: OnVersion | None
    date_field: str | None


_OFF = "off"


def _version_choice(**values: Any) -> VersionChoice:
    is_off = values["action"] == _OFF
    # Rules that contradict each other are rejected also where they are not used.
    rules = OnVersion(**{**values, "action": ACTIONS[0]} if is_off else values)
    return VersionChoice(None if is_off else rules, rules.date_field)


Versions = Annotated[
    VersionChoice,
    constraints(group="Versions"),
    Chosen(
        omit=("lease",),
        make=_version_choice,
        options=OnVersion,
        action={"type": NearestChoice([_OFF, *ACTIONS]), "default": _OFF},
    ),
]


def available_processors() -> int:
    """Return the number of processors, for the default of an option."""
    from es_simhash.ingestion.bulk.processes import available_processors

    return available_processors()


PROCESSES = {"default": available_processors, "show_default": "number of processors"}
# Options of a run over the documents of an index.
RUN = Chosen(
    only=("processes", "max_docs_per_second", "failures"),
    processes=PROCESSES,
    failures={"show_default": "INDEX.failures.jsonl in the working directory"},
)
