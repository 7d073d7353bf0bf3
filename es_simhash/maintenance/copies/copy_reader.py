"""A point in time of an index, as it is read to find copies: documents, and texts of them."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from es_simhash.pairs.copy_units import CopyDocument
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.references import DocumentRef, DocumentVersion
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.options import Query
from es_simhash.store.source import stored_text
from es_simhash.text.limits import is_too_long

# Documents in one page of hits; their texts are analysed together.
_DOCUMENTS = 100
# Texts that are fetched together to be aligned.
_TEXTS = 50


class CopyReader:
    """Reads the documents of an index, and texts of them, as they are at one point in time.

    Use it in a `with` statement, which refreshes the index and opens the point in time.

    Args:
        gateway: To the cluster.
        index: Index, alias or data stream.
        config: Of the index, with its scheme.
        filters: Queries that documents must match.
        between: Field whose values tell documents apart; None for none.
        date_field: Field of the date; None for none.
    """

    def __init__(
        self,
        gateway: Gateway,
        index: str,
        config: IndexConfig,
        filters: Sequence[Query],
        between: str | None,
        date_field: DateField | None,
    ) -> None:
        self._gateway = gateway
        self._index = index
        self._config = config
        self._filters = list(filters)
        self._between = between
        self._date_field = date_field
        self._point = gateway.point_in_time(index)

    def __enter__(self) -> "CopyReader":
        self._gateway.refresh_if_allowed(self._index)
        self._point.open()
        return self

    def __exit__(self, *error: object) -> None:
        self._point.close()

    def count(self) -> int:
        """Return the number of documents that match the filter, with fingerprints or without."""
        body = {"size": 0, "track_total_hits": True, "query": {"bool": {"filter": self._filters}}}
        return int(self._point.search(body)["hits"]["total"]["value"])

    def documents(self) -> Iterator[CopyDocument]:
        """Yield the documents that match the filter and have fingerprints of the scheme."""
        hits = self._point.hits(self._body())
        while page := list(islice(hits, _DOCUMENTS)):
            contents = [self._text(hit) for hit in page]
            analyser = TextAnalyser(self._config.scheme)
            texts = analyser.analyse_each(content or "" for content in contents)
            for hit, content, text in zip(page, contents, texts, strict=True):
                yield self._document(hit, content, text)

    def _body(self) -> dict[str, Any]:
        members = (fields.CONTENT_HASH, fields.FAMILY, fields.STATUS)
        body: dict[str, Any] = {
            "size": _DOCUMENTS,
            "query": {"bool": {"filter": [self._config.of_scheme, *self._filters]}},
            "_source": [*self._config.text_fields, *map(self._config.path, members)],
            "seq_no_primary_term": True,
        }
        if self._between is not None:
            body["fields"] = [self._between]
        if self._date_field is not None:
            body["docvalue_fields"] = [self._date_field.requested]
        return body

    def _document(
        self, hit: dict[str, Any], content: str | None, text: AnalysedText | None
    ) -> CopyDocument:
        source = hit.get("_source", {})
        stored_hash = stored_text(source, self._config.path(fields.CONTENT_HASH)) or ""
        if text is not None:
            is_current = text.content_hash == stored_hash
        else:
            is_empty = stored_text(source, self._config.path(fields.STATUS)) == fields.STATUS_EMPTY
            is_current = content is not None and is_empty
        values = hit.get("fields", {}).get(self._between) or () if self._between else ()
        return CopyDocument(
            DocumentVersion.of_hit(hit),
            stored_hash,
            stored_text(source, self._config.path(fields.FAMILY)),
            tuple(sorted({_shown(value) for value in values})),
            None if self._date_field is None else self._date_field.of_hit(hit),
            # A copy: a slice would keep the shingles of its whole batch.
            np.zeros(0, np.uint32) if text is None else text.shingles.copy(),
            text is None,
            is_current,
        )

    def texts(self, refs: Sequence[DocumentRef]) -> dict[DocumentRef, str]:
        """Return the texts of documents that `documents` yielded."""
        texts: dict[DocumentRef, str] = {}
        wanted = set(refs)
        for start in range(0, len(refs), _TEXTS):
            ids = sorted({ref.id for ref in refs[start : start + _TEXTS]})
            body = {
                "size": _TEXTS,
                "query": {"ids": {"values": ids}},
                "_source": list(self._config.text_fields),
            }
            for hit in self._point.hits(body):
                ref = DocumentRef.of_hit(hit)
                if ref in wanted:
                    texts[ref] = self._text(hit) or ""
        return texts

    def _text(self, hit: dict[str, Any]) -> str | None:
        text = stored_text(hit.get("_source", {}), self._config.text_field)
        return None if text is None or is_too_long(text) else text


def _shown(value: object) -> str:
    """Return a value of a field as text; a boolean as JSON has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
