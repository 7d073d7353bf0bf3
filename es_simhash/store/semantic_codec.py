"""The form that what a text is about has in an Elasticsearch document."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.languages.lexicon import NumberedWords
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
# Weights are stored to so many digits; what is so near to half a unit is rounded by Python.
_WEIGHT_DIGITS = 4
_UNITS, _NEAR_HALF = 10**_WEIGHT_DIGITS, 1e-6
_DECIMALS = [repr(unit / _UNITS) for unit in range(_UNITS + 1)]
_NONE = np.zeros(0)


def semantic_members(profiles: Sequence[SemanticProfile], scheme: str) -> list[dict[str, Any]]:
    """Return the semantic members of the `simhash` object of each text.

    Args:
        profiles: The semantic profiles of a batch of texts.
        scheme: Name of the scheme they were read with.
    """
    return [json.loads(b"{%b}" % members) for members in semantic_json(profiles, scheme)]


def semantic_json(profiles: Sequence[SemanticProfile], scheme: str) -> list[bytes]:
    """Return the JSON of `semantic_members` without the braces around it."""
    vectors = iter(_packed_vectors(profiles))
    scheme = _JSON(scheme)
    members_of_texts = []
    for profile, concepts in zip(profiles, _concepts_json(profiles), strict=True):
        members = [f'"{SEMANTIC_SCHEME}":{scheme}']
        if concepts:
            members.append(f'"{CONCEPTS}":{{{concepts}}}')
        if entities := profile.stored_entities():
            members.append(f'"{ENTITIES}":{_JSON(entities)}')
        if profile.vector_table:
            # That the table has nothing of a text is known of its words.
            members.append(f'"{VECTOR_TABLE}":{_JSON(profile.vector_table)}')
        if profile.vector is not None:
            packed, fingerprint = next(vectors)
            if profile.has_learned_vector:
                language = _JSON(profile.language)
                members.append(f'"{INDEX_VECTOR}":"{packed}","{VECTOR_LANGUAGE}":{language}')
            else:
                members.append(f'"{VECTOR}":"{packed}","{VECTOR_FINGERPRINT}":"{fingerprint}"')
        members_of_texts.append(",".join(members).encode())
    return members_of_texts


def _concepts_json(profiles: Sequence[SemanticProfile]) -> Iterator[str]:
    """Yield the stored concepts of each text with their weights, as JSON without braces."""
    heaviest = [
        concepts.amounts[: profile.stored_limit].astype(np.float64)
        if isinstance(concepts := profile.concepts, NumberedWords)
        else _NONE
        for profile in profiles
    ]
    norms = [sum([weight * weight for weight in some.tolist()]) ** 0.5 for some in heaviest]
    sizes = list(map(len, heaviest))
    rounded = _rounded(np.concatenate(heaviest) / np.repeat(norms, sizes))
    ends = np.cumsum(sizes).tolist()
    for profile, end, size in zip(profiles, ends, sizes, strict=True):
        concepts = profile.concepts
        if not isinstance(concepts, NumberedWords):
            yield _JSON(concept_terms(profile.stored_concepts()))[1:-1]
            continue
        names = concepts.lexicon.column(_quoted_names, _quoted_names).take(concepts.numbers[:size])
        weights = rounded[end - size : end]
        count = int(np.count_nonzero(weights))
        # Weights descend. A word that is another term may be the same as that of another word.
        some = names[:count].tolist()
        if None in some:
            yield _JSON(concept_terms(profile.stored_concepts()))[1:-1]
        else:
            yield ",".join(map(add, some, map(_DECIMALS.__getitem__, weights.tolist())))


def _rounded(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return weights in units of the fourth digit, rounded as Python does."""
    units = weights * _UNITS
    rounded = np.rint(units)
    for place in np.flatnonzero(np.abs(np.abs(units - rounded) - 0.5) < _NEAR_HALF).tolist():
        rounded[place] = round(round(float(weights[place]), _WEIGHT_DIGITS) * _UNITS)
    return np.asarray(rounded, np.int64)


def _quoted_names(words: Sequence[str]) -> NDArray[np.object_]:
    """Return each word as the name of a member in JSON; None where its term is another."""
    return np.array([f"{_JSON(word)}:" if word == _term(word) else None for word in words], object)


def concept_terms(concepts: Mapping[str, float]) -> dict[str, float]:
    """Return weights by index term, to four digits; the engine keeps about three.

    Concepts that fall together as terms are one.
    """
    # Almost all are words of some letters, which need no care.
    if "".join(concepts).isalpha() and max(map(len, concepts)) <= MAX_TERM_LENGTH:
        rounded_weights = (
            (concept, round(weight, _WEIGHT_DIGITS)) for concept, weight in concepts.items()
        )
        return {concept: weight for concept, weight in rounded_weights if weight > 0}
    terms: dict[str, float] = {}
    for concept, weight in concepts.items():
        term = _term(concept)
        if term and (rounded := round(weight + terms.get(term, 0.0), _WEIGHT_DIGITS)) > 0:
            terms[term] = rounded
    return terms


def _term(concept: str) -> str:
    is_plain = concept.isalpha() and len(concept) <= MAX_TERM_LENGTH
    return concept if is_plain else concept_term(concept)


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
