"""Asking an index for the documents related to a text or to a stored document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from es_simhash.engine.gateway import Client
from es_simhash.errors import DocumentMissing, InputError, SchemeMismatch
from es_simhash.fingerprints.text_fingerprints import TextFingerprints, fingerprint_texts
from es_simhash.indices.installed_index import InstalledIndex
from es_simhash.query.candidates import queried_shingles, related_query
from es_simhash.query.hits import read_answers
from es_simhash.query.neighbours import neighbour_query, read_neighbours
from es_simhash.query.options import SearchOptions
from es_simhash.query.ranking import merged
from es_simhash.relation.compare import compare_texts
from es_simhash.relation.evidence import Reading, told
from es_simhash.relation.model import Answer, Relation
from es_simhash.relation.scoring import relate
from es_simhash.search.user_vectors import user_vectors
from es_simhash.semantics.profile import SemanticProfile
from es_simhash.semantics.profiler import SemanticProfiler, semantic_profiler
from es_simhash.semantics.vocabulary.files import load_vocabulary
from es_simhash.semantics.vocabulary.vocabulary import Vocabulary
from es_simhash.storage import fields
from es_simhash.storage.references import DocumentRef
from es_simhash.storage.source import shown_fields, stored_text, text_of
from es_simhash.text.limits import require_few_chunks, within_limit

# Index and id of a hit.
Key = tuple[str | None, str | None]


class Index(InstalledIndex):
    """An index, alias or data stream that has fingerprint fields.

    The constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the index.
        text_field: Field of the text; dots lead into objects.
        field: Name of our object.
        scheme: Scheme of the index; by default it is read from the mapping, once.
        meaning: Scheme of what is read from the texts, where `scheme` is given too.
        vocabulary: File of synonyms or of a taxonomy; evidence names its concepts. An index that
            was installed with one weighs them too, and then it must be that file.
    """

    def __repr__(self) -> str:
        return f"Index({self.name!r}, text_field={self.text_field!r}, field={self.field!r})"

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
            InputError: Both or neither of id and text are given, or the document has no text.
            SchemeMismatch: The document was fingerprinted with another scheme than the index's.
        """
        if (id is None) == (text is None):
            raise InputError("Give either an id or a text to find what is related to it.")
        if id is not None:
            return self.related_to_each([id], options=options)[id]
        assert text is not None
        return self._related([_Question(text)], options or SearchOptions())[0]

    def related_to_each(
        self, ids: Sequence[str], *, options: SearchOptions | None = None
    ) -> dict[str, Answer]:
        """Return what is related to each of many stored documents, with one search request for all.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        questions = self._stored(ids)
        answers = self._related(questions, options or SearchOptions())
        return dict(zip(ids, answers, strict=True))

    def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two stored documents, whatever its score, with all its evidence.

        Raises:
            DocumentMissing: One of the ids is not there.
            InputError: One of the documents has no text.
        """
        one, other = self._stored([id_a, id_b])
        reader = self._reader()
        profiles = self._profiles([one, other], reader)
        relation = compare_texts(one.text, other.text, self.scheme, profiles)
        if relation.kind == "none":
            return replace(relation, id=id_b, index=other.index)
        ours, theirs = self._readings([one, other], profiles, reader)
        return replace(told(relation, ours, theirs), id=id_b, index=other.index)

    def searches(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> list[dict[str, Any]]:
        """Return the search bodies that `related` would send; only the document itself is read."""
        if (id is None) == (text is None):
            raise InputError("Give either an id or a text to find what is related to it.")
        question = _Question(text) if text is not None else self._stored([str(id)])[0]
        prepared = self._prepared([question], options or SearchOptions())[0]
        return prepared.bodies

    def _stored(self, ids: Sequence[str]) -> list["_Question"]:
        if not ids:
            return []
        wanted = [
            self.text_field,
            *(f"{self.field}.{name}" for name in (fields.SCHEME, fields.SEMANTIC_SCHEME)),
            *(self.semantics.entity_fields if self.semantics else ()),
        ]
        entries = self.gateway.documents_by_id(self.name, ids, wanted)
        return [self._question(entry) for entry in entries]

    def _question(self, entry: Mapping[str, Any]) -> "_Question":
        id = entry["_id"]
        if not entry.get("found"):
            raise DocumentMissing(f"Document {id!r} is not in index {self.name!r}; check the id.")
        source = entry.get("_source", {})
        text = text_of(source, self.text_field)
        if text is None:
            raise InputError(
                f"Document {id!r} has no text in field {self.text_field!r}; "
                "name the field with --field."
            )
        stored = text_of(source, f"{self.field}.{fields.SCHEME}")
        if stored is not None and stored != self.scheme.name:
            raise SchemeMismatch(
                f"Document {id!r} has fingerprints of scheme {stored!r}, the index is of "
                f"{self.scheme.name!r}; ingest the document again."
            )
        return _Question(text, id, entry.get("_index"), source)

    def _reader(self) -> SemanticProfiler | None:
        return (
            None if self.semantics is None else semantic_profiler(self.semantics, self.vocabulary)
        )

    def _profiles(
        self, questions: Sequence["_Question"], reader: SemanticProfiler | None
    ) -> list[SemanticProfile]:
        """Read what the questions are about; nothing where the index has no meanings."""
        if reader is None:
            return [SemanticProfile()] * len(questions)
        texts = [within_limit(each.text) for each in questions]
        profiles = reader.read(texts, [each.source for each in questions])
        own = reader.scheme.vector_field
        if own is None:
            return profiles
        refs = [each.ref for each in questions]
        vectors = user_vectors(self.gateway, [ref for ref in refs if ref is not None], own)
        return [
            replace(semantics, vector=None if ref is None else vectors.get(ref))
            for semantics, ref in zip(profiles, refs, strict=True)
        ]

    def _prepared(
        self, questions: Sequence["_Question"], options: SearchOptions
    ) -> list["_Prepared"]:
        """Read the questions and put the bodies of their searches together."""
        prints = list(
            fingerprint_texts([within_limit(each.text) for each in questions], self.scheme)
        )
        for each in prints:
            require_few_chunks(len(each.chunks))
        reader = self._reader() if options.wants_neighbours else None
        profiles = self._profiles(questions, reader)
        return [
            _Prepared(each, semantics, self._bodies(each, semantics, question, options))
            for each, semantics, question in zip(prints, profiles, questions, strict=True)
        ]

    def _bodies(
        self,
        fingerprints: TextFingerprints,
        profile: SemanticProfile,
        question: "_Question",
        options: SearchOptions,
    ) -> list[dict[str, Any]]:
        if fingerprints.is_empty:
            return []
        same = [question.id] if question.id is not None else []
        bodies = related_query(
            fingerprints,
            field=self.field,
            k=options.k,
            limits=options.limits,
            filters=options.filters,
            without_ids=same,
        )
        if self.semantics is None or profile.is_empty:
            return bodies
        neighbours = neighbour_query(
            profile,
            self.semantics.name,
            field=self.field,
            limits=options.limits,
            filters=options.filters,
            without_ids=same,
            vector_field=self.semantics.vector_field,
            date_field=options.recency.field if options.recency else None,
        )
        return [*bodies, neighbours]

    def _related(self, questions: Sequence["_Question"], options: SearchOptions) -> list[Answer]:
        """Answer all questions: one multi-search, and one request for the texts of the hits."""
        prepared = self._prepared(questions, options)
        answers = iter(self._search([body for each in prepared for body in each.bodies]))
        relations = [
            self._judged(each, [next(answers) for _ in each.bodies], options) for each in prepared
        ]
        if options.evidence or options.fields:
            profiles = [each.semantics for each in prepared]
            return self._with_sources(questions, profiles, relations, options)
        return relations

    def _judged(
        self, prepared: "_Prepared", answers: Sequence[Mapping[str, Any]], options: SearchOptions
    ) -> Answer:
        """Make the list of one question from the answers to its searches."""
        if not answers:
            return Answer()
        found = read_answers(answers[:2], field=self.field, limits=options.limits)
        asked = queried_shingles(prepared.fingerprints, options.limits)
        judged = relate(prepared.fingerprints, asked, found.candidates)
        neighbours = [
            each
            for answer in answers[2:]
            for each in read_neighbours(
                answer,
                prepared.semantics,
                field=self.field,
                vector_field=self.semantics.vector_field if self.semantics else None,
                date_field=options.recency.field if options.recency else None,
            )
        ]
        shown = merged(judged, neighbours, options)
        marked = [replace(one, truncated=found.truncated) for one in shown]
        return Answer(marked, truncated=found.truncated)

    def _search(self, bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        return self.gateway.search_all(self.name, bodies)

    def _with_sources(
        self,
        questions: Sequence["_Question"],
        profiles: Sequence[SemanticProfile],
        relations: list[Answer],
        options: SearchOptions,
    ) -> list[Answer]:
        keys = sorted({(r.index, r.id) for each in relations for r in each}, key=str)
        sources = self._sources(set(keys), options)
        hits = [self._hit(key, sources.get(key, {})) for key in keys]
        fetched = [self.text_field, *(self.semantics.entity_fields if self.semantics else ())]
        stored = {
            key: shown_fields(hit.source, fetched, options.fields)
            for key, hit in zip(keys, hits, strict=True)
        }
        if not options.evidence:
            return [
                _changed(each, lambda one: replace(one, source=stored[one.index, one.id]))
                for each in relations
            ]
        reader = self._reader() if options.wants_neighbours else None
        # A hit of many questions is read once.
        readings = self._readings(hits, self._profiles_of(hits, reader), reader)
        theirs = dict(zip(keys, readings, strict=True))
        asked = self._readings(questions, profiles, reader)

        def complete(one: Relation, ours: Reading) -> Relation:
            key = one.index, one.id
            return replace(told(one, ours, theirs[key]), source=stored[key])

        return [
            _changed(each, partial(complete, ours=ours))
            for each, ours in zip(relations, asked, strict=True)
        ]

    def _profiles_of(
        self, hits: Sequence["_Question"], reader: SemanticProfiler | None
    ) -> list[SemanticProfile]:
        """Read hits again: their texts are here, and the index keeps less than evidence tells."""
        if reader is None:
            return [SemanticProfile()] * len(hits)
        try:
            return self._profiles(hits, reader)
        except InputError:
            # Someone has written what cannot be read; that hit alone is shown without evidence.
            if len(hits) == 1:
                return [SemanticProfile()]
            return [each for hit in hits for each in self._profiles_of([hit], reader)]

    def _readings(
        self,
        questions: Sequence["_Question"],
        profiles: Sequence[SemanticProfile],
        reader: SemanticProfiler | None,
    ) -> list[Reading]:
        table = None if reader is None else reader.vectors
        vocabulary = self._vocabulary() if reader is not None else None
        return [
            Reading(each.text, semantics, self.scheme, table, vocabulary)
            for each, semantics in zip(questions, profiles, strict=True)
        ]

    def _vocabulary(self) -> Vocabulary | None:
        return None if self.vocabulary is None else load_vocabulary(self.vocabulary)

    def _hit(self, key: Key, source: dict[str, Any]) -> "_Question":
        # A hit whose text became something else is shown without evidence.
        return _Question(stored_text(source, self.text_field) or "", key[1], key[0], source)

    def _sources(self, keys: set[Key], options: SearchOptions) -> dict[Key, Any]:
        evidence = (self.text_field, *(self.semantics.entity_fields if self.semantics else ()))
        wanted = [*options.fields, *(evidence if options.evidence else ())]
        refs = [DocumentRef(index, str(id)) for index, id in sorted(keys, key=str)]
        return {
            (entry["_index"], entry["_id"]): entry.get("_source", {})
            for entry in self.gateway.documents(refs, wanted)
        }


@dataclass(frozen=True)
class _Question:
    """A text to find relations of; index, id and source when it is stored."""

    text: str
    id: str | None = None
    index: str | None = None
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ref(self) -> DocumentRef | None:
        """Where it is stored, if it is."""
        return None if self.id is None else DocumentRef(self.index, self.id)


@dataclass(frozen=True)
class _Prepared:
    """A question, read, and the bodies of its searches."""

    fingerprints: TextFingerprints
    semantics: SemanticProfile
    bodies: list[dict[str, Any]]


def _changed(answer: Answer, change: Callable[[Relation], Relation]) -> Answer:
    return Answer(map(change, answer), truncated=answer.truncated)


def related(
    client: Client,
    index: str,
    *,
    id: str | None = None,
    text: str | None = None,
    text_field: str = "text",
    field: str = fields.DEFAULT_FIELD,
    options: SearchOptions | None = None,
) -> Answer:
    """Return the documents of an index that are related to a stored document or to a text.

    A shorthand for `Index(client, index, ...).related(...)`, which see.
    """
    return Index(client, index, text_field=text_field, field=field).related(
        id=id, text=text, options=options
    )
