"""Every question of an index as steps, and an index that drives them while its caller waits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from es_simhash.differences.difference import Changes
from es_simhash.differences.history import Blame, History
from es_simhash.differences.text_changes import changes
from es_simhash.differences.version_timeline import Timeline
from es_simhash.errors import InputError
from es_simhash.questions.current_background import CurrentBackground
from es_simhash.questions.family_steps import FamilySteps
from es_simhash.questions.method_steps import MethodAnswer, MethodSteps, require_method_options
from es_simhash.questions.protocol import RelatedIndex
from es_simhash.questions.question_texts import TextReader
from es_simhash.questions.related import OtherVectors, RelatedSteps
from es_simhash.questions.version_history import VersionSteps, timeline_of
from es_simhash.relation.answer import Answer
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.relation.relation import Relation
from es_simhash.relation.text_comparison import text_analyser
from es_simhash.store.dates import DateField
from es_simhash.store.intents import (
    Configuration,
    Filter,
    FindDateField,
    RenewConfiguration,
    Request,
)
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import Steps, Store, ask, run

Result = TypeVar("Result")


class IndexSteps:
    """The questions of one index; it knows neither a client nor whether anybody waits.

    What `Index` says of each question holds for its steps.
    """

    def __init__(self) -> None:
        self._reader: TextReader | None = None
        self._background = CurrentBackground()

    def reader(self) -> Steps[TextReader]:
        """Return how texts of the index are read; what that takes is kept."""
        installed = yield from ask(Configuration(vectors=False))
        if self._reader is None or self._reader.config is not installed.config:
            config = installed.config
            analyser = partial(
                text_analyser, config.scheme, config.semantics, config.vocabulary, config.table
            )
            self._reader = TextReader(installed.name, config, analyser)
            self._background = CurrentBackground()
        return self._reader

    def related(
        self, id: str | None, text: str | None, options: SearchOptions | None
    ) -> Steps[Answer]:
        """Return what is related to a stored document or to a text."""
        require_one_query(id, text)
        if text is None:
            answers = yield from self.related_to_each([str(id)], options)
            return answers[str(id)]

        def answer(steps: RelatedSteps, wanted: SearchOptions) -> Steps[list[Answer]]:
            return (yield from steps.answers([steps.reader.given(text, wanted)], wanted))

        return (yield from self._current(answer, options))[0]

    def related_to_each(
        self, ids: Sequence[str], options: SearchOptions | None
    ) -> Steps[dict[str, Answer]]:
        """Return what is related to each of many stored documents, searched together."""

        def answers(steps: RelatedSteps, wanted: SearchOptions) -> Steps[list[Answer]]:
            documents = yield from steps.reader.stored(ids, wanted)
            return (yield from steps.answers(documents, wanted))

        return dict(zip(ids, (yield from self._current(answers, options)), strict=True))

    def requests(
        self, id: str | None, text: str | None, options: SearchOptions | None
    ) -> Steps[list[Request[Any]]]:
        """Return what `related` asks for; only the document itself is read."""
        require_one_query(id, text)
        yield from ask(Configuration())
        steps, wanted = yield from self._opened(options)
        if text is not None:
            document = steps.reader.given(text, wanted)
        else:
            (document,) = yield from steps.reader.stored([str(id)], wanted)
        return (yield from steps.requests(document, wanted))

    def explain(self, id_a: str, id_b: str) -> Steps[Relation]:
        """Return the relation of two stored documents, with all its evidence."""

        def explained(steps: RelatedSteps, wanted: SearchOptions) -> Steps[Relation]:
            return (yield from steps.explained(id_a, id_b))

        return (yield from self._current(explained, None))

    def related_by(
        self, method: str, id: str | None, text: str | None, options: SearchOptions | None
    ) -> Steps[MethodAnswer]:
        """Return the documents that a method finds."""
        steps, wanted = yield from self._by_method(method, id, text, options)
        return (yield from steps.answer(id, text, wanted))

    def requests_by(
        self, method: str, id: str | None, text: str | None, options: SearchOptions | None
    ) -> Steps[list[Request[Any]]]:
        """Return what `related_by` asks for; the document itself is read."""
        steps, wanted = yield from self._by_method(method, id, text, options)
        return (yield from steps.requests(id, text, wanted))

    def changes(self, id_a: str, id_b: str) -> Steps[Changes]:
        """Return what changed from one stored document to another."""
        reader = yield from self.reader()
        older, newer = yield from reader.rows([id_a, id_b])
        return changes(str(older.text), str(newer.text))

    def history(self, id: str, date_field: str | None) -> Steps[History]:
        """Return the versions of a document, oldest first, and what changed at each step."""
        versions = yield from self._versions(date_field)
        return (yield from versions.history(id))

    def blame(self, id: str, date_field: str | None) -> Steps[Blame]:
        """Return since when each sentence of a version has been there."""
        versions = yield from self._versions(date_field)
        return (yield from versions.blame(id))

    def timeline(
        self, id_a: str, id_b: str, date_field: str | None, filters: Sequence[Filter]
    ) -> Steps[Timeline | None]:
        """Return the family of two stored documents in order of the dates."""
        reader = yield from self.reader()
        dates = yield from self.date_field(date_field, parameter="date_field")
        if dates is None:
            return None
        return (yield from timeline_of(reader.name, dates, filters, id_a, id_b))

    def family(
        self,
        id: str,
        date_field: str | None,
        newer_than: str | None,
        filters: Sequence[Filter],
    ) -> Steps[FamilyHistory]:
        """Return the version family of a document, or that of a name."""
        reader = yield from self.reader()
        field = yield from self.date_field(date_field, parameter="date_field")
        if newer_than is not None and field is None:
            raise InputError(
                "To compare dates, a field of dates is needed. Set date_field.",
                parameter="date_field",
            )
        steps = FamilySteps(reader.name, reader.config, field, newer_than, tuple(filters))
        return (yield from steps.read(id))

    def date_field(
        self, named: str | None = None, *, parameter: str = "date"
    ) -> Steps[DateField | None]:
        """Return the named date field, or the configured one; None without either.

        Args:
            named: Its name; None for the one that the index is configured with.
            parameter: What the user names it by.
        """
        reader = yield from self.reader()
        name = named or reader.config.documents.date
        if name is None:
            return None
        return (yield from ask(FindDateField(name, parameter)))

    def _opened(self, options: SearchOptions | None) -> Steps[tuple[RelatedSteps, SearchOptions]]:
        """Return what answers, and options with what the index is configured with."""
        reader = yield from self.reader()
        wanted = (options or SearchOptions()).configured(reader.config.min_score)
        if wanted.recency is not None:
            field = wanted.recency.field
            yield from ask(FindDateField(field, "recency", numbers=False))
        dates = yield from self.date_field()
        return RelatedSteps(reader, dates, self._background), wanted

    def _current(
        self,
        question: Callable[[RelatedSteps, SearchOptions], Steps[Result]],
        options: SearchOptions | None,
    ) -> Steps[Result]:
        """Return the answer to a question by the word vectors that the index has by now.

        Other ones may have been learned since they were read: then the question is asked again.
        """
        steps, wanted = yield from self._opened(options)
        try:
            return (yield from question(steps, wanted))
        except OtherVectors:
            yield from ask(RenewConfiguration())
            steps, wanted = yield from self._opened(options)
            return (yield from question(replace(steps, takes_any_vectors=True), wanted))

    def _by_method(
        self, method: str, id: str | None, text: str | None, options: SearchOptions | None
    ) -> Steps[tuple[MethodSteps, SearchOptions]]:
        require_one_query(id, text)
        wanted = options or SearchOptions()
        require_method_options(wanted)
        reader = yield from self.reader()
        return MethodSteps.of(reader, method), wanted

    def _versions(self, date_field: str | None) -> Steps[VersionSteps]:
        reader = yield from self.reader()
        dates = yield from self.date_field(date_field, parameter="date_field")
        return VersionSteps(reader.name, reader.config, dates)


class StoreIndex(RelatedIndex):
    """An index whose store answers each question, while the caller waits.

    Attributes:
        store: Answers requests.
    """

    store: Store
    _steps: IndexSteps

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
        return run(self._steps.related(id, text, self._answerable(options)), self.store)

    def related_to_each(
        self, ids: Sequence[str], *, options: SearchOptions | None = None
    ) -> dict[str, Answer]:
        """Return what is related to each of many stored documents, with one search request.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        return run(self._steps.related_to_each(ids, self._answerable(options)), self.store)

    def pages(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Iterator[Answer]:
        """Yield all that is related, in pages of `size`, from the offset of the options on.

        Each page is searched when it is wanted, and no relation is on two of them.

        Raises:
            DocumentMissing: There is no document of that id.
            InputError: As in `related`.
        """
        wanted: SearchOptions | None = options or SearchOptions()
        while wanted is not None:
            answer = self.related(id=id, text=text, options=wanted)
            if answer:
                yield answer
            offset = answer.extent.next_offset
            wanted = None if offset is None else replace(wanted, offset=offset)

    def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two stored documents, whatever its score, with all its evidence.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        return run(self._steps.explain(id_a, id_b), self.store)

    def changes(self, id_a: str, id_b: str) -> Changes:
        """Return what changed from one stored document to another, whatever their relation.

        Args:
            id_a: The older one.
            id_b: The newer one.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        return run(self._steps.changes(id_a, id_b), self.store)

    def _answerable(self, options: SearchOptions | None) -> SearchOptions | None:
        """Return options, unless the store cannot answer them."""
        return options


def require_one_query(id: str | None, text: str | None) -> None:
    """Reject a query by both an id and a text, or by neither.

    Raises:
        InputError: Both or neither are given.
    """
    if (id is None) == (text is None):
        raise InputError("A search needs either an id or a text. Give one of them.")
