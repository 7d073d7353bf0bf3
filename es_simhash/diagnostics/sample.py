"""Documents drawn at random, and their texts."""

import base64
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from es_simhash.backfills.documents import own_object
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import InputError
from es_simhash.fingerprints.simhash import Fingerprints
from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.storage import fields
from es_simhash.storage.fields import INDEX, ROUTING, SOURCE, field_path
from es_simhash.storage.references import DocumentRef
from es_simhash.storage.source import text_of
from es_simhash.text.segmentation import normalise

# Documents whose texts are in memory at once.
_PAGE = 50
_MEMBERS = (fields.SCHEME, fields.CONTENT_HASH, fields.BLOCKS)
# How a text stands to its fingerprints. "gone": the document was deleted meanwhile.
FRESH, STALE, MISSING, UNREADABLE, GONE = "fresh", "stale", "missing", "unreadable", "gone"


@dataclass(frozen=True)
class Sampled:
    """A document of a sample.

    Attributes:
        index: Index of the text.
        id: Its id.
        routing: Its routing, if it has one.
        scheme: Scheme of its fingerprints; None for none.
        content_hash: Of the text they were made from.
        blocks: Block terms.
        fingerprint: Bytes of the document fingerprint; None when it has none.
    """

    index: str
    id: str
    routing: str | None
    scheme: str | None
    content_hash: str | None
    blocks: tuple[str, ...]
    fingerprint: bytes | None


def draw(client: Client, index: str, field: str, size: int) -> list[Sampled]:
    """Return documents drawn at random, the same for the same index."""
    fingerprint = field_path(field, fields.FINGERPRINT)
    drawn = {"query": {"match_all": {}}, "random_score": {"seed": 1, "field": "_seq_no"}}
    body = {
        "size": size,
        "query": {"function_score": drawn},
        "_source": [*(field_path(field, member) for member in _MEMBERS), SOURCE],
        "docvalue_fields": [{"field": fingerprint, "format": "binary"}],
        "track_total_hits": False,
    }
    (answer,) = Gateway.of(client).search_all(index, [body])
    return [_sampled(hit, field, fingerprint) for hit in answer["hits"]["hits"]]


def _sampled(hit: Mapping[str, Any], field: str, fingerprint: str) -> Sampled:
    source = hit.get("_source", {})
    ours = own_object(source, field)[0] or {}
    # What a sidecar says of the document it is about.
    of = source.get(SOURCE)
    of = of if isinstance(of, Mapping) else {}
    packed = hit.get("fields", {}).get(fingerprint, [None])[0]
    return Sampled(
        of.get(INDEX, hit["_index"]),
        hit["_id"],
        of.get(ROUTING, hit.get("_routing")),
        ours.get(fields.SCHEME),
        ours.get(fields.CONTENT_HASH),
        tuple(ours.get(fields.BLOCKS) or ()),
        None if packed is None else _bytes(packed),
    )


def _bytes(packed: str | Sequence[int]) -> bytes:
    """Return the bytes of a vector of bits; servers before 9 give them as signed numbers."""
    if isinstance(packed, str):
        return base64.b64decode(packed)
    return np.asarray(packed, np.int8).tobytes()


def fingerprints_of(sample: Sequence[Sampled]) -> Fingerprints:
    """Return the document fingerprints of documents that have one, a row each."""
    rows = [each.fingerprint for each in sample if each.fingerprint is not None]
    width = len(rows[0]) if rows else 0
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), width)


def text_states(client: Client, sample: Sequence[Sampled], text_field: str) -> list[str]:
    """Tell of each document how its text stands to its fingerprints."""
    states: list[str] = []
    for start in range(0, len(sample), _PAGE):
        some = sample[start : start + _PAGE]
        for each, entry in zip(some, _entries(client, some, text_field), strict=True):
            states.append(_state(each, entry, text_field))
    return states


def _entries(client: Client, some: Sequence[Sampled], text_field: str) -> list[Mapping[str, Any]]:
    refs = [DocumentRef(each.index, each.id, each.routing) for each in some]
    return Gateway.of(client).documents(refs, [text_field])


def _state(each: Sampled, entry: Mapping[str, Any], text_field: str) -> str:
    if not entry.get("found"):
        return GONE
    try:
        found = text_of(entry.get("_source", {}), text_field)
    except InputError:
        return UNREADABLE
    # A text that was taken away is fingerprinted as an empty one.
    if content_hash(normalise(found or "")) == each.content_hash:
        return FRESH
    return MISSING if found is None else STALE


def common_blocks(sample: Sequence[Sampled], most: int) -> Iterator[tuple[str, int, int]]:
    """Yield the block terms that most documents have, with the documents and different texts."""
    documents = Counter(term for each in sample for term in each.blocks)
    texts = Counter(
        term for term, _ in {(term, each.content_hash) for each in sample for term in each.blocks}
    )
    for term, count in sorted(documents.items(), key=lambda each: (-each[1], each[0]))[:most]:
        yield term, count, texts[term]
