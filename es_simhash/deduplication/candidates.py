"""The search for what one document may be a version of, with few terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.deduplication.decision import Known, moment_of
from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.storage import fields
from es_simhash.storage.codec import shingle_terms, unpack_chunks
from es_simhash.storage.fields import field_path
from es_simhash.storage.source import text_of

# Passages a document is asked for by, and how many of these a version must have. Eight find nearly
# as many versions, sixteen no more (docs/deduplicate.md).
TERMS = 12
SHARED = 2
# Candidates that are judged, those that share most first.
CANDIDATES = 20
# Documents that ask together; where their hits do not fit one answer, each asks alone.
TOGETHER = 8
_HIGHEST_LEVEL = 3
_SAME = 1000
# Value of each letter of URL-safe base64.
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_LETTERS = np.full(256, 255, np.uint8)
_LETTERS[np.frombuffer(_ALPHABET, np.uint8)] = np.arange(64)


@dataclass(frozen=True)
class Asked:
    """By what a document is found: this alone decides it, in the index and in memory.

    Attributes:
        content_hash: Of its text.
        passages: Some of its passages.
        least: How many of them another document must have, when its text is not the same.
    """

    content_hash: str
    shingles: NDArray[np.uint32]
    least: int

    @classmethod
    def of(cls, prints: TextFingerprints) -> "Asked":
        """Choose the passages: those that a text of twice the length has picked as well.

        Among these the ones with the smallest numbers, so that versions choose alike.
        """
        own = int(prints.levels.min(initial=_HIGHEST_LEVEL))
        wide = np.minimum(prints.levels, min(own + 1, _HIGHEST_LEVEL)).astype(np.int64)
        order = np.lexsort((prints.shingles, -wide))[:TERMS]
        chosen = np.sort(prints.shingles[order])
        return cls(prints.content_hash, chosen, SHARED if len(chosen) > SHARED else 1)

    def finds(self, known: Known) -> bool:
        """Check whether a search for it brings a document."""
        return self.content_hash == known.content_hash or self.shared(known) >= self.least

    def shared(self, known: Known) -> int:
        """Count the passages asked for that a document has."""
        return int(np.isin(self.shingles, known.shingles, assume_unique=True).sum())


def candidate_search(
    asked: Sequence[Asked], scheme: str, *, field: str, date_field: str | None = None
) -> dict[str, Any]:
    """Return the body of one search for some documents; `Asked.finds` tells whose a hit is.

    A search costs as much as some fifteen of its terms, so that a few documents ask together.
    What is marked as a version is left out.
    """

    def clause(member: str, value: str, boost: int) -> dict[str, Any]:
        term = {"term": {field_path(field, member): value}}
        return {"constant_score": {"filter": term, "boost": boost}}

    should: list[dict[str, Any]] = []
    for each in asked:
        terms = [clause(fields.SHINGLES, term, 1) for term in shingle_terms(each.shingles)]
        should.append({"bool": {"should": terms, "minimum_should_match": each.least}})
        should.append(clause(fields.CONTENT_HASH, each.content_hash, _SAME))
    members = [fields.SHINGLES, fields.CONTENT_HASH, fields.FAMILY]
    dates = [] if date_field is None else [date_field]
    return {
        "size": CANDIDATES,
        "_source": [*(field_path(field, each) for each in members), *dates],
        "docvalue_fields": [field_path(field, fields.CHUNKS)],
        "track_total_hits": False,
        # Of those that share as much, the first.
        "sort": [{"_score": "desc"}, {"_seq_no": "asc"}],
        "query": {
            "bool": {
                "filter": [{"term": {field_path(field, fields.SCHEME): scheme}}],
                "must_not": [{"exists": {"field": field_path(field, fields.DUPLICATE_OF)}}],
                "should": should,
                "minimum_should_match": 1,
            }
        },
    }


def read_hits(
    answer: Mapping[str, Any], *, field: str, date_field: str | None = None
) -> list[Known]:
    """Read what the search answered; a hit that was not written by us is left out."""
    found = []
    for hit in answer["hits"]["hits"]:
        source = hit.get("_source", {})
        packed = hit.get("fields", {}).get(field_path(field, fields.CHUNKS))
        content_hash = text_of(source, field_path(field, fields.CONTENT_HASH))
        if not packed or content_hash is None:
            continue
        found.append(
            Known(
                hit["_id"],
                content_hash,
                _passages(source, field),
                unpack_chunks(packed[0]),
                index=hit["_index"],
                moment=None if date_field is None else moment_of(source, date_field),
                family=text_of(source, field_path(field, fields.FAMILY)),
                order=hit["sort"][1],
            )
        )
    return found


def _passages(source: Mapping[str, Any], field: str) -> NDArray[np.uint32]:
    value: Any = source
    for part in [*field.split("."), fields.SHINGLES]:
        value = value.get(part) if isinstance(value, Mapping) else None
    return shingles_of(value if isinstance(value, list) else [])


def shingles_of(terms: Sequence[str]) -> NDArray[np.uint32]:
    """Read index terms of passages; the numbers are ascending.

    Raises:
        InputError: These are no such terms.
    """
    letters = np.frombuffer("".join(terms).encode(), np.uint8)
    values = _LETTERS[letters].astype(np.uint32)
    if len(letters) != 4 * len(terms) or (values > 63).any():
        raise InputError("The passages of a document are not terms of this scheme; write it again.")
    shifts = np.array([18, 12, 6, 0], np.uint32)
    numbers: NDArray[np.uint32] = (values.reshape(-1, 4) << shifts).sum(axis=1, dtype=np.uint32)
    return np.sort(numbers)
