"""Vectors of stored documents in a `dense_vector` field of the user's own."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from es_simhash.engine.gateway import Gateway
from es_simhash.storage.references import DocumentRef
from es_simhash.storage.semantic_codec import unpack_user_vector


def user_vectors(
    gateway: Gateway, refs: Iterable[DocumentRef], field: str
) -> dict[DocumentRef, NDArray[np.float32]]:
    """Return unit vectors of the field by document, for documents that have one.

    Args:
        gateway: Sends the requests.
        refs: The documents; each names its index.
        field: A `dense_vector` field.
    """
    vectors: dict[DocumentRef, NDArray[np.float32]] = {}
    ids_by_index: dict[str, list[str]] = {}
    for ref in sorted(set(refs)):
        ids_by_index.setdefault(str(ref.index), []).append(ref.id)
    for index, ids in ids_by_index.items():
        body = {
            "size": len(ids),
            "_source": False,
            "query": {"ids": {"values": ids}},
            "docvalue_fields": [{"field": field, "format": "binary"}],
        }
        for hit in gateway.search_all(index, [body])[0]["hits"]["hits"]:
            for packed in hit.get("fields", {}).get(field, []):
                vector = unpack_user_vector(packed)
                norm = np.linalg.norm(vector)
                if norm > 0:
                    vectors[DocumentRef(hit["_index"], hit["_id"])] = vector / norm
    return vectors
