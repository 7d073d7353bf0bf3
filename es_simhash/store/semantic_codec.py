"""The form that what a text is about has in an Elasticsearch document."""

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.semantic_profile import MAX_TERM_LENGTH, SemanticProfile, concept_term
from es_simhash.semantics.semantic_scheme import WORD_VECTOR_DIMENSIONS
from es_simhash.semantics.vectors import quantise, vector_simhash
from es_simhash.store.fields import (
    CONCEPTS,
    ENTITIES,
    INDEX_VECTOR,
    SEMANTIC_SCHEME,
    VECTOR,
    VECTOR_FINGERPRINT,
    VECTOR_LANGUAGE,
    VECTOR_TABLE,
)

_JSON = json.JSONEncoder(separators=(",", ":")).encode


def semantic_members(profiles: Sequence[SemanticProfile], scheme: str) -> list[dict[str, Any]]:
    """Return the semantic members of the `simhash` object of each text.

    Args:
        profiles: The semantic profiles of a batch of texts.
        scheme: Name of the scheme they were read with.
    """
    vectors = iter(_packed_vectors(profiles))
    members_of_texts: list[dict[str, Any]] = []
    for profile in profiles:
        members: dict[str, Any] = {SEMANTIC_SCHEME: scheme}
        if concepts := concept_terms(profile.stored_concepts()):
            members[CONCEPTS] = concepts
        if entities := profile.stored_entities():
            members[ENTITIES] = entities
        if profile.vector_table:
            # That the table has nothing of a text is known of its words.
            members[VECTOR_TABLE] = profile.vector_table
        if profile.vector is not None:
            packed, fingerprint = next(vectors)
            if profile.has_learned_vector:
                members[INDEX_VECTOR], members[VECTOR_LANGUAGE] = packed, profile.language
            else:
                members[VECTOR], members[VECTOR_FINGERPRINT] = packed, fingerprint
        members_of_texts.append(members)
    return members_of_texts


def semantic_json(profiles: Sequence[SemanticProfile], scheme: str) -> list[bytes]:
    """Return the JSON of `semantic_members` without the braces around it."""
    return [_JSON(members)[1:-1].encode() for members in semantic_members(profiles, scheme)]


def concept_terms(concepts: dict[str, float]) -> dict[str, float]:
    """Return weights by index term, to four digits; the engine keeps about three.

    Concepts that fall together as terms are one.
    """
    # Almost all are words of some letters, which need no care.
    if "".join(concepts).isalpha() and max(map(len, concepts)) <= MAX_TERM_LENGTH:
        rounded_weights = ((concept, round(weight, 4)) for concept, weight in concepts.items())
        return {concept: weight for concept, weight in rounded_weights if weight > 0}
    terms: dict[str, float] = {}
    for concept, weight in concepts.items():
        is_plain = concept.isalpha() and len(concept) <= MAX_TERM_LENGTH
        term = concept if is_plain else concept_term(concept)
        if term and (rounded := round(weight + terms.get(term, 0.0), 4)) > 0:
            terms[term] = rounded
    return terms


def packed_query_vector(vector: NDArray[np.float32]) -> tuple[str, str]:
    """Return a vector and its fingerprint in hexadecimal, as a kNN search takes them."""
    return _packed(vector[None])[0]


def unpack_vectors(packed: Sequence[str | Sequence[int]]) -> NDArray[np.int8]:
    """Read stored vectors as `docvalue_fields` gives them in the format `binary`, one or more.

    Elasticsearch 8 gives their numbers one by one all the same.
    """
    if isinstance(packed[0], str):
        rows = b"".join(base64.b64decode(str(vector)) for vector in packed)
        return np.frombuffer(rows, np.int8).reshape(len(packed), -1)
    return np.array(packed, np.int8)


def unpack_user_vectors(packed: Sequence[str | Sequence[float]]) -> NDArray[np.float32]:
    """Read vectors of a field of the user's, as `unpack_vectors` does."""
    return np.stack([own_vector(vector) for vector in packed])


def _packed_vectors(profiles: Sequence[SemanticProfile]) -> list[tuple[str, str]]:
    known = [profile.vector for profile in profiles if profile.vector is not None]
    return _packed(np.stack(known)) if known else []


def _packed(vectors: NDArray[np.float32]) -> list[tuple[str, str]]:
    # Vectors of the user's own are taken as they are: one bit for each of their dimensions.
    is_ours = vectors.shape[1] == WORD_VECTOR_DIMENSIONS
    fingerprints = vector_simhash(vectors) if is_ours else np.packbits(vectors > 0, axis=1)
    return [
        (row.tobytes().hex(), bits.tobytes().hex())
        for row, bits in zip(quantise(vectors), fingerprints, strict=True)
    ]


def own_vector(packed: Any) -> NDArray[np.float32]:
    """Read a vector of the user's own field, in whichever form the engine returned it."""
    if isinstance(packed, str):
        return np.frombuffer(base64.b64decode(packed), ">f4").astype(np.float32)
    return np.asarray(packed, np.float32)
