"""Indices that answer questions: one with the fields, one with a sidecar."""

from collections.abc import Sequence
from typing import Any

from es_simhash.differences.history import Blame, History
from es_simhash.differences.version_timeline import Timeline
from es_simhash.errors import MappingConflict
from es_simhash.questions.index_steps import IndexSteps, StoreIndex
from es_simhash.questions.method_steps import MethodAnswer
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.installation.sidecar_source import sidecar_source
from es_simhash.store.intents import Configuration, Filter
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import Store, run


def open_index(
    client: Client,
    name: str,
    config: IndexConfig | None = None,
) -> "Index":
    """Return the index of a name, whether it has its fingerprints itself or is a sidecar.

    Raises:
        IndexMissing: There is no such index.
    """
    config = config or IndexConfig()
    if sidecar_source(Gateway.of(client), name, config.simhash_field) is None:
        return Index(client, name, config=config)
    return SidecarIndex(client, name, config=config)


class Index(StoreIndex):
    """The questions of an index, alias or data stream; `es_simhash.index` adds its other verbs.

    The constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the index.
        config: Names of the fields, and the vocabulary.
        read_schemes: Whether the schemes are read from the mapping, once; otherwise they are those
            of `config`.
        max_load: Percent of the processors of a node in use above which requests wait; None for no
            bound. See `LoadBound`.
    """

    store: ElasticsearchStore
    _is_sidecar = False

    def __init__(
        self,
        client: Client,
        name: str,
        config: IndexConfig | None = None,
        *,
        read_schemes: bool = True,
        max_load: float | None = None,
    ) -> None:
        self.name = name
        gateway = Gateway.of(client)
        self.gateway = gateway if max_load is None else gateway.bounded(max_load)
        self._given = config or IndexConfig()
        self._read_schemes = read_schemes
        self._read_again()

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.name!r}, text_field={self._given.text_field!r}, "
            f"simhash_field={self._given.simhash_field!r})"
        )

    @property
    def config(self) -> IndexConfig:
        """How the index is read and fingerprinted, its schemes read from the mapping once.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields.
        """
        (installed,) = self.store.ask([Configuration()])
        config: IndexConfig = installed.config
        return config

    @property
    def fingerprint_store(self) -> Store:
        """The documents that have the fingerprints: those of the index, or the sidecar's own."""
        return ElasticsearchStore(self.gateway, self.name, self.config, is_complete=True)

    def related_by(
        self,
        method: str,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> MethodAnswer:
        """Return the documents that a method finds for a stored document or a text, best first.

        They are the candidates of the method with its own scores, as if all texts were compared in
        memory; where a limit cut the candidates, the answer says so.

        Args:
            method: Name of a method whose fingerprints the index has; see `install`.
            id: Id of a stored document.
            text: A text, in place of an id.
            options: `size`, `offset`, `min_score` (by default the threshold of the method),
                `filters`, `exclude`, `fields` and `limits`.

        Raises:
            DocumentMissing: There is no document of that id.
            InputError: Both or neither of id and text are given, there is no such method, it
                cannot read the text, or another option is set.
            MappingConflict: The index has no fingerprints of the method.
            MissingExtra: A package that the method needs is not installed.
        """
        return run(self._steps.related_by(method, id, text, options), self.store)

    def searches_by(
        self,
        method: str,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> list[dict[str, Any]]:
        """Return the search bodies that `related_by` would send; the document itself is read."""
        requests = run(self._steps.requests_by(method, id, text, options), self.store)
        return self.store.bodies(requests)

    def history(self, id: str, *, date_field: str | None = None) -> History:
        """Return the versions of a document, oldest first, and what changed at each step.

        Args:
            id: Of any member of a family that `find_families` wrote, or the name of the family.
            date_field: Field of the dates; None for that of the configuration. Without one, the
                versions are in the order of their ids, and those without a date come first.

        Raises:
            DocumentMissing: There is neither a document nor a family of that name.
            InputError: The document has no family, or no mapping has the field of the dates.
            MappingConflict: The field of the dates holds none.
        """
        return run(self._steps.history(id, date_field), self.store)

    def timeline(
        self,
        id_a: str,
        id_b: str,
        *,
        date_field: str | None = None,
        filters: Sequence[Filter] = (),
    ) -> Timeline | None:
        """Return the family of two stored documents in order of the dates, without any text.

        It takes two searches, and reads at most 2,000 versions, the newest.

        Args:
            id_a: The older text.
            id_b: The newer text.
            date_field: Field of the dates; None for that of the configuration.
            filters: Elasticsearch queries that versions must match; what does not is as if it were
                not there, also in the count.

        Returns:
            The timeline; None where the two are not of one family, or there is no date field.

        Raises:
            InputError: No mapping has the field of the dates.
            MappingConflict: The field of the dates holds none.
        """
        return run(self._steps.timeline(id_a, id_b, date_field, filters), self.store)

    def blame(self, id: str, *, date_field: str | None = None) -> Blame:
        """Return since when each sentence of a version has been there.

        Args:
            id: Of the version; of a family, its name stands for the newest one.
            date_field: As in `history`.

        Raises:
            DocumentMissing: There is neither a document nor a family of that name.
            InputError: The document has no family, or no mapping has the field of the dates.
            MappingConflict: The field of the dates holds none.
        """
        return run(self._steps.blame(id, date_field), self.store)

    def family(
        self,
        id: str,
        *,
        date_field: str | None = None,
        newer_than: str | None = None,
        filters: Sequence[Filter] = (),
    ) -> FamilyHistory:
        """Return the version family of a document, or that of a name, in order of the dates.

        It takes two requests, and no text is read: everything is computed from what is stored.

        Args:
            id: Id of a document; if there is none, the name of a family.
            date_field: Field of the dates; by default the one that the index is configured with.
            newer_than: Return only members with a date after this one, as the engine reads it: a
                date that the field can hold, or date math such as `now-30d`.
            filters: Elasticsearch queries that members and near documents must match; what does
                not is as if it were not there, also in the counts.

        Raises:
            DocumentMissing: There is neither a document nor a family of that name.
            InputError: The document has no family yet, no mapping has the field of the dates, or
                the engine cannot read the date.
            MappingConflict: The field of the dates holds none.
        """
        return run(self._steps.family(id, date_field, newer_than, filters), self.store)

    def searches(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> list[dict[str, Any]]:
        """Return the search bodies that `related` would send; only the document itself is read."""
        requests = run(self._steps.requests(id, text, options), self.store)
        return self.store.bodies(requests)

    @property
    def text_index(self) -> str:
        """Index that has the texts and the other fields of the user's documents."""
        return self.store.text_index

    def _read_again(self) -> None:
        """Forget what was read of the mapping: the next question reads it."""
        self.store = ElasticsearchStore(
            self.gateway,
            self.name,
            self._given,
            is_complete=not self._read_schemes,
            is_sidecar=self._is_sidecar,
        )
        self._steps = IndexSteps()


class SidecarIndex(Index):
    """The questions of an index whose fingerprints `backfill` wrote into a sidecar."""

    _is_sidecar = True

    @property
    def source(self) -> str:
        """Name of the first index, read from the mapping of the sidecar once.

        Raises:
            MappingConflict: The index is no sidecar.
        """
        return self.text_index

    def family(
        self,
        id: str,
        *,
        date_field: str | None = None,
        newer_than: str | None = None,
        filters: Sequence[Filter] = (),
    ) -> FamilyHistory:
        """Reject the question: families are in documents that have fingerprints themselves.

        Raises:
            MappingConflict: Always.
        """
        raise MappingConflict(
            f"Index {self.name!r} is the sidecar of {self.source!r}, and families are in the "
            f"documents themselves. Run `es-simhash install {self.source}`, `es-simhash backfill "
            f"{self.source}` and `es-simhash families run {self.source}`."
        )
