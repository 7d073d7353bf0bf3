"""Searches by the fingerprints of a method that an index has in addition to its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from es_simhash.errors import MappingConflict
from es_simhash.questions.stored_texts import StoredTexts
from es_simhash.relation.references import DocumentRef
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.method_search import (
    MethodAnswer,
    method_search,
    read_method_hits,
)
from es_simhash.store.indexed_methods import (
    IndexedMethod,
    MethodFingerprints,
    indexed_method,
    method_of_scheme,
    require_readable,
)
from es_simhash.store.options import SearchOptions
from es_simhash.text.limits import require_text_size


@dataclass(frozen=True)
class MethodRetrieval:
    """Answers queries by one method.

    Attributes:
        texts: Reads the texts of the index.
        scheme: Scheme of the method in this index.
    """

    texts: StoredTexts
    scheme: AddedScheme

    @classmethod
    def of(cls, texts: StoredTexts, name: str) -> "MethodRetrieval":
        """Return what answers queries by a method of an index.

        Raises:
            InputError: There is no method of that name, or it makes no fingerprints.
            MappingConflict: The index has none of it.
        """
        method = indexed_method(name)
        for scheme in texts.config.schemes:
            if scheme.method == method.name:
                return cls(texts, scheme)
        raise MappingConflict(
            f"Index {texts.name!r} has no fingerprints of method {method.name!r}. Run "
            f"`es-simhash install {texts.name} --scheme {method.name}`, then `es-simhash "
            f"backfill {texts.name}`."
        )

    @cached_property
    def _method(self) -> IndexedMethod:
        return method_of_scheme(self.scheme.method, self.scheme.name)

    @property
    def _config(self) -> IndexConfig:
        return self.texts.config

    def stored_text(self, id: str) -> tuple[str, DocumentRef]:
        """Return the text of a stored document, and where it is.

        Raises:
            DocumentMissing: There is no document of that id.
            InputError: It has no text.
        """
        (entry,) = self.texts.entries([id])
        return self.texts.text_of(entry), DocumentRef.of_hit(entry)

    def searches(
        self, text: str, ref: DocumentRef | None, options: SearchOptions
    ) -> list[dict[str, Any]]:
        """Return the search body that `answer` would send; none for a text without words."""
        features = self._read(text, ref)
        return [] if features.unreadable else [self._search(features, ref, options)]

    def answer(self, text: str, ref: DocumentRef | None, options: SearchOptions) -> MethodAnswer:
        """Return what the method finds for a text.

        Args:
            text: The text.
            ref: Where it is, if it is stored.
            options: Filters, limits, minimum score and page.

        Raises:
            InputError: The method cannot read the language of the text.
        """
        features = self._read(text, ref)
        if features.unreadable:
            return MethodAnswer()
        body = self._search(features, ref, options)
        (received,) = self.texts.access.search_all([body])
        answer = read_method_hits(received, features.rows(0), self._config, self._method, options)
        return self._with_fields(answer, received["hits"]["hits"], options.fields)

    def _read(self, text: str, ref: DocumentRef | None) -> MethodFingerprints:
        """Return the fingerprints of a text, or that it has no words.

        Raises:
            InputError: The method cannot read it, or it is too long.
        """
        features = self._method.read([require_text_size(text)])
        name = "the text" if ref is None else f"document {ref.id!r}"
        advice = "Name another method."
        require_readable(features.unreadable, self.scheme.method, [name], advice=advice)
        return features

    def _search(
        self, features: MethodFingerprints, ref: DocumentRef | None, options: SearchOptions
    ) -> dict[str, Any]:
        excluded = [*([] if ref is None else [ref.id]), *options.exclude]
        (keys,) = features.block_keys()
        return method_search(keys, self._config, self.scheme, options, excluded)

    def _with_fields(
        self, answer: MethodAnswer, hits: Sequence[Mapping[str, Any]], fields: Sequence[str]
    ) -> MethodAnswer:
        """Add the requested fields of the hits."""
        if not fields or not answer.relations:
            return answer
        refs = {(hit["_index"], hit["_id"]): DocumentRef.of_hit(hit) for hit in hits}
        of_relation = [refs[(str(one.index), one.id)] for one in answer.relations]
        sources = self.texts.access.sources(of_relation, fields)
        relations = [
            replace(relation, source=dict(sources.get(ref, {})))
            for relation, ref in zip(answer.relations, of_relation, strict=True)
        ]
        return replace(answer, relations=tuple(relations))
