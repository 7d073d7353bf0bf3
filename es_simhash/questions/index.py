"""An index, alias or data stream whose documents have fingerprints."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from es_simhash.differences.difference import Changes
from es_simhash.differences.history import Blame, History
from es_simhash.differences.text_changes import changes
from es_simhash.differences.version_timeline import Timeline
from es_simhash.errors import InputError
from es_simhash.questions.access import DirectAccess
from es_simhash.questions.family import FamilyReader
from es_simhash.questions.family_versions import FamilyVersions
from es_simhash.questions.method_retrieval import MethodRetrieval
from es_simhash.questions.paging import pages_of
from es_simhash.questions.protocol import require_one_query
from es_simhash.questions.retrieval import Retrieval
from es_simhash.questions.timeline import TimelineReader
from es_simhash.relation.answer import Answer
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.relation import Relation
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.family_documents import FamilySearches
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.method_search import MethodAnswer, require_method_options
from es_simhash.store.installation.configuration import InstalledIndex
from es_simhash.store.installation.date_fields import find_date_field
from es_simhash.store.options import Query, SearchOptions


class Index:
    """An index, alias or data stream that has fingerprint fields.

    The constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the index.
        config: Names of the fields, and the vocabulary; evidence names its concepts. An index that
            was installed with a vocabulary weighs it too, and then it must be that file.
        read_schemes: Whether the schemes are read from the mapping, once; otherwise they are those
            of `config`.
    """

    def __init__(
        self,
        client: Client,
        name: str,
        config: IndexConfig | None = None,
        *,
        read_schemes: bool = True,
    ) -> None:
        self.name = name
        self.gateway = Gateway.of(client)
        self._date_fields: set[str] = set()
        self._found_dates: dict[str, DateField] = {}
        self._installed = InstalledIndex(
            self.gateway, name, config or IndexConfig(), is_complete=not read_schemes
        )

    def __repr__(self) -> str:
        names = self._installed.given
        return (
            f"Index({self.name!r}, text_field={names.text_field!r}, "
            f"simhash_field={names.simhash_field!r})"
        )

    @property
    def config(self) -> IndexConfig:
        """How the index is read and fingerprinted, its schemes read from the mapping once.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields.
        """
        return self._installed.config

    def related(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Answer:
        """Return the documents related to a stored document or to a text, best first.

        Raises:
            DocumentMissing: There is no document of that id.
            InputError: Both or neither of id and text are given, the document has no text, or no
                mapping has the field of the text or of the dates.
            MappingConflict: The field of the dates holds none.
            SchemeMismatch: The document was fingerprinted with another scheme than the index's.
        """
        require_one_query(id, text)
        if text is not None:
            retrieval, options = self._retrieval(self._configured(options))
            return retrieval.answer_text(text, options)
        return self.related_to_each([str(id)], options=options)[str(id)]

    def pages(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Iterator[Answer]:
        """Return all that is related, in pages of `size`, from the offset of the options on.

        Each page is searched when it is wanted, and no relation is on two of them.

        Raises:
            DocumentMissing: There is no document of that id.
            InputError: As in `related`.
        """
        return pages_of(self, id, text, options)

    def related_to_each(
        self, ids: Sequence[str], *, options: SearchOptions | None = None
    ) -> dict[str, Answer]:
        """Return what is related to each of many stored documents, with one search request.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        retrieval, options = self._retrieval(self._configured(options))
        return retrieval.answer_ids(ids, options)

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
        retrieval, ref, text, options = self._by_method(method, id, text, options)
        return retrieval.answer(text, ref, options)

    def searches_by(
        self,
        method: str,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> list[dict[str, Any]]:
        """Return the search bodies that `related_by` would send; the document itself is read."""
        retrieval, ref, text, options = self._by_method(method, id, text, options)
        return retrieval.searches(text, ref, options)

    def _by_method(
        self, method: str, id: str | None, text: str | None, options: SearchOptions | None
    ) -> tuple[MethodRetrieval, DocumentRef | None, str, SearchOptions]:
        require_one_query(id, text)
        options = options or SearchOptions()
        require_method_options(options)
        retrieval, options = self._retrieval(options)
        by_method = MethodRetrieval.of(retrieval.reader.stored_texts, method)
        if text is not None:
            return by_method, None, text, options
        stored, ref = by_method.stored_text(str(id))
        return by_method, ref, stored, options

    def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two stored documents, whatever its score, with all its evidence.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        return self._retrieval(SearchOptions())[0].explain(id_a, id_b)

    def changes(self, id_a: str, id_b: str) -> Changes:
        """Return what changed from one stored document to another, whatever their relation.

        Args:
            id_a: The older one.
            id_b: The newer one.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        stored = self._retrieval(SearchOptions())[0].reader.stored_texts
        return changes(*stored.texts([id_a, id_b]))

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
        return self._versions(date_field).history(id)

    def timeline(
        self,
        id_a: str,
        id_b: str,
        *,
        date_field: str | None = None,
        filters: Sequence[Query] = (),
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
        dates = self._date_field(date_field, parameter="date_field")
        if dates is None:
            return None
        reader = TimelineReader(self.gateway, self.text_index, self.config, dates, filters)
        return reader.read(id_a, id_b)

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
        return self._versions(date_field).blame(id)

    def family(
        self,
        id: str,
        *,
        date_field: str | None = None,
        newer_than: str | None = None,
        filters: Sequence[Query] = (),
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
        searches = self._family_searches(date_field, newer_than)
        searches = replace(searches, filters=tuple(filters))
        return FamilyReader(self.gateway, self.name, searches).read(id)

    def _family_searches(self, date_field: str | None, newer_than: str | None) -> FamilySearches:
        field = self._date_field(date_field, parameter="date_field")
        if newer_than is not None and field is None:
            raise InputError(
                "To compare dates, a field of dates is needed. Set date_field.",
                parameter="date_field",
            )
        return FamilySearches(self.config, self.config.documents.title, field, newer_than)

    def searches(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> list[dict[str, Any]]:
        """Return the search bodies that `related` would send; only the document itself is read."""
        require_one_query(id, text)
        retrieval, options = self._retrieval(self._configured(options))
        return retrieval.searches(id, text, options)

    def _retrieval(self, options: SearchOptions) -> tuple[Retrieval, SearchOptions]:
        """Return what answers queries with these options, and the options it takes.

        An index that is read in another way returns another retrieval.
        """
        self._require_dates(options, self.name)
        return self._direct, options

    @property
    def text_index(self) -> str:
        """Index that has the texts and the other fields of the user's documents."""
        return self.name

    def _versions(self, date_field: str | None) -> FamilyVersions:
        dates = self._date_field(date_field, parameter="date_field")
        return FamilyVersions(self.gateway, self.text_index, self.config, dates)

    def _require_dates(self, options: SearchOptions, index: str) -> None:
        """Check, once, that an index has the date field of the options; without it, nothing."""
        field = options.recency.field if options.recency else None
        # Bodies for a text are built without any request.
        if field is None or field in self._date_fields or self._installed.is_complete:
            return
        mappings = self.gateway.mappings(index)
        find_date_field(mappings, field, parameter="recency", numbers=False)
        self._date_fields.add(field)

    @cached_property
    def _direct(self) -> Retrieval:
        access = DirectAccess(self.gateway, self.name)
        return Retrieval(
            self.gateway, self.name, self.config, access, date_field=self._date_field()
        )

    def _configured(self, options: SearchOptions | None) -> SearchOptions:
        return (options or SearchOptions()).configured(self.config.min_score)

    def _date_field(self, named: str | None = None, *, parameter: str = "date") -> DateField | None:
        """Return the named date field, or the configured one, which is looked up once.

        Args:
            named: Its name; None for the one that the index is configured with.
            parameter: What the user names it by.
        """
        name = named or self.config.documents.date
        if name is None:
            return None
        if name not in self._found_dates:
            mappings = self.gateway.mappings(self.text_index)
            self._found_dates[name] = find_date_field(mappings, name, parameter=parameter)
        return self._found_dates[name]
