"""What a method finds in an index that has its fingerprints, as steps."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np

from es_simhash.errors import InputError, MappingConflict
from es_simhash.questions.question_texts import TextReader
from es_simhash.relation.references import DocumentRef
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.indexed_methods import (
    IndexedMethod,
    MethodFingerprints,
    Rows,
    indexed_method,
    method_of_scheme,
    require_readable,
)
from es_simhash.store.intents import DocumentsAt, FindByBlocks, Parts, Request, Where
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import Steps, ask
from es_simhash.store.rows import MethodHits
from es_simhash.text.limits import require_text_size

# Options that a search by a method has; of the others only those that it may ignore are not named.
_USED = ("size", "min_score", "filters", "fields", "limits", "offset", "exclude")
_IGNORED = ("evidence", "passages", "collapse", "context")


@dataclass(frozen=True)
class MethodEvidence:
    """What the score of a method is computed from.

    Attributes:
        scheme: Published name of the scheme of the fingerprints.
        distance: Units in which the fingerprints differ.
        units: Units that were compared; the score is 1 - distance / units.
        unit: What they are: bits of a fingerprint, values of a signature, or sentences of the text
            that has fewer.
    """

    scheme: str
    distance: int
    units: int
    unit: str


@dataclass(frozen=True)
class MethodRelation:
    """A document that a method finds for a query.

    Attributes:
        id: Of the hit.
        kind: `version` from the threshold of the method on, else `none`.
        score: Of the method, from 0 to 1.
        method: Name of the method.
        evidence: What the score is computed from.
        index: Index of the hit.
        source: Requested fields of the hit.
    """

    id: str
    kind: Literal["version", "none"]
    score: float
    method: str
    evidence: MethodEvidence
    index: str | None = None
    source: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the relation as it is printed in JSON."""
        return asdict(self)


@dataclass(frozen=True)
class MethodAnswer:
    """What a method finds for one query.

    Attributes:
        relations: The documents, best first.
        total: Documents with at least the minimum score, of which these are a page.
        truncated: True when the limit cut the candidates: those that share the rarest blocks with
            the query were scored.
    """

    relations: tuple[MethodRelation, ...] = ()
    total: int = 0
    truncated: bool = False


def require_method_options(options: SearchOptions) -> None:
    """Reject options that say something about the scheme of the index alone.

    Raises:
        InputError: One is set.
    """
    defaults = SearchOptions()
    for option in fields(options):
        name = option.name
        if name in (*_USED, *_IGNORED) or getattr(options, name) == getattr(defaults, name):
            continue
        raise InputError(
            f"{name} has no effect on a search by a method; omit it.",
            parameter=None if name == "family" else name,
        )


@dataclass(frozen=True)
class MethodSteps:
    """Answers queries by one method.

    Attributes:
        reader: Reads the texts of the index.
        scheme: Scheme of the method in this index.
    """

    reader: TextReader
    scheme: AddedScheme

    @classmethod
    def of(cls, reader: TextReader, name: str) -> "MethodSteps":
        """Return what answers queries by a method of an index.

        Raises:
            InputError: There is no method of that name, or it makes no fingerprints.
            MappingConflict: The index has none of it.
        """
        method = indexed_method(name)
        for scheme in reader.config.schemes:
            if scheme.method == method.name:
                return cls(reader, scheme)
        raise MappingConflict(
            f"Index {reader.name!r} has no fingerprints of method {method.name!r}. Run "
            f"`es-simhash install {reader.name} --scheme {method.name}`, then `es-simhash "
            f"backfill {reader.name}`."
        )

    @cached_property
    def _method(self) -> IndexedMethod:
        return method_of_scheme(self.scheme.method, self.scheme.name)

    def requests(
        self, id: str | None, text: str | None, options: SearchOptions
    ) -> Steps[list[Request[Any]]]:
        """Return what `answer` asks for; nothing for a text without words."""
        features, ref = yield from self._read(id, text)
        return [] if features.unreadable else [self._request(features, ref, options)]

    def answer(
        self, id: str | None, text: str | None, options: SearchOptions
    ) -> Steps[MethodAnswer]:
        """Return what the method finds for a stored document or a text.

        Args:
            id: Of the document; None for a text.
            text: The text; None for a document.
            options: Filters, limits, minimum score and page.

        Raises:
            InputError: The method cannot read the language of the text.
        """
        features, ref = yield from self._read(id, text)
        if features.unreadable:
            return MethodAnswer()
        hits = yield from ask(self._request(features, ref, options))
        answer = _scored(hits, features.rows(0), self._method, options)
        return (yield from self._with_fields(answer, hits, options.fields))

    def _read(
        self, id: str | None, text: str | None
    ) -> Steps[tuple[MethodFingerprints, DocumentRef | None]]:
        """Return the fingerprints of a text, or that it has no words, and where it is.

        Raises:
            DocumentMissing: There is no document of that id.
            InputError: The method cannot read it, or it is too long.
        """
        ref = None
        if text is None:
            (row,) = yield from self.reader.rows([str(id)])
            text, ref = str(row.text), row.ref
        features = self._method.read([require_text_size(text)])
        name = "the text" if ref is None else f"document {ref.id!r}"
        method = self.scheme.method
        require_readable(features.unreadable, method, [name], advice="Name another method.")
        return features, ref

    def _request(
        self, features: MethodFingerprints, ref: DocumentRef | None, options: SearchOptions
    ) -> FindByBlocks:
        excluded = (*(() if ref is None else (ref.id,)), *options.exclude)
        (keys,) = features.block_keys()
        return FindByBlocks(
            tuple(sorted(set(chain.from_iterable(keys)))),
            self.scheme,
            Where(options.filters, excluded_ids=excluded),
            options.limits.candidates,
        )

    def _with_fields(
        self, answer: MethodAnswer, hits: MethodHits, names: Sequence[str]
    ) -> Steps[MethodAnswer]:
        """Add the requested fields of the hits."""
        if not names or not answer.relations:
            return answer
        refs = {ref.key: ref for ref in hits.refs}
        of_relation = tuple(refs[relation.index, relation.id] for relation in answer.relations)
        rows = yield from ask(DocumentsAt(of_relation, Parts(fields=tuple(names))))
        relations = [
            replace(relation, source=dict(rows[ref].source)) if ref in rows else relation
            for relation, ref in zip(answer.relations, of_relation, strict=True)
        ]
        return replace(answer, relations=tuple(relations))


def _scored(
    hits: MethodHits, own: Rows, method: IndexedMethod, options: SearchOptions
) -> MethodAnswer:
    """Return what a method makes of documents that share a block: its candidates and scores."""
    stored = [
        _rows(packed, ref, method) for packed, ref in zip(hits.fingerprints, hits.refs, strict=True)
    ]
    relations = list(_relations(hits, method.scheme.restore([own, *stored]), method))
    least = method.threshold if options.min_score is None else options.min_score
    wanted = sorted(
        (relation for relation in relations if relation.score >= least),
        key=lambda relation: (-relation.score, relation.id, relation.index or ""),
    )
    return MethodAnswer(tuple(wanted[options.offset : options.end]), len(wanted), hits.is_cut)


def _rows(packed: bytes, ref: DocumentRef, method: IndexedMethod) -> Rows:
    rows = method.scheme.rows(packed)
    if rows is None:
        raise InputError(
            f"Document {ref.id!r} has blocks of scheme {method.scheme.name!r}, but no "
            "fingerprints of it. Re-ingest the document."
        )
    return rows


def _relations(
    hits: MethodHits, features: MethodFingerprints, method: IndexedMethod
) -> Iterator[MethodRelation]:
    others = features.candidates_of(0)
    query = np.zeros_like(others)
    scores = features.score(query, others).tolist()
    units = features.units(query, others).tolist()
    for number, score, count in zip(others.tolist(), scores, units, strict=True):
        ref, distance = hits.refs[number - 1], round((1 - score) * count)
        yield MethodRelation(
            id=ref.id,
            kind="version" if score >= method.threshold else "none",
            score=score,
            method=method.name,
            evidence=MethodEvidence(method.scheme.name, distance, count, features.unit),
            index=ref.index,
        )
