"""Measures of rankings, and the exact similarities they are measured on."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.semantics.similarity import ENTITY_WEIGHT, entity_terms, vector_weight

Matrix = NDArray[np.float32]
Order = NDArray[np.int64]
_ROWS = 500


def similarities(profiles: Sequence[SemanticProfile]) -> Matrix:
    """Return h of every text (row) with every other (column), computed from what is stored."""
    terms: dict[str, int] = {}
    for semantics in profiles:
        for concept in semantics.concepts:
            terms.setdefault(concept, len(terms))
    stored = _rows([profile.stored_concepts() for profile in profiles], terms)
    combined = np.zeros((len(profiles), len(profiles)), np.float32)
    for start in range(0, len(profiles), _ROWS):
        queried = _rows(
            [profile.query_concepts() for profile in profiles[start : start + _ROWS]], terms
        )
        combined[start : start + _ROWS] = queried @ stored.T
    shares = np.ones_like(combined)
    named, names = _entity_cosines(profiles)
    shares[named] -= ENTITY_WEIGHT
    known = np.array([profile.vector is not None for profile in profiles])
    both = known[:, None] & known
    # Vectors of a learned table are compared within a language.
    spaces = {space: place for place, space in enumerate({each.vector_space for each in profiles})}
    space_of = np.array([spaces[profile.vector_space] for profile in profiles])
    compared = both & (space_of[:, None] == space_of)
    weights = np.where(compared, [[vector_weight(query)] for query in profiles], 0.0)
    weights = weights.astype(np.float32)
    shares -= weights
    combined *= shares
    combined[named] += ENTITY_WEIGHT * names[named]
    if known.any():
        vectors = np.stack([profile.vector for profile in profiles if profile.vector is not None])
        cosines = np.zeros_like(combined)
        cosines[both] = np.clip(vectors @ vectors.T, 0, 1).ravel()
        combined += weights * cosines
    return combined


def _entity_cosines(profiles: Sequence[SemanticProfile]) -> tuple[NDArray[np.bool_], Matrix]:
    """Which pairs both have entities, and the cosines of all; names are read as the query's."""
    named = [entity_terms(profile.stored_entities(), profile) for profile in profiles]
    terms: dict[str, int] = {}
    for weights in named:
        for term in weights:
            terms.setdefault(term, len(terms))
    rows = _rows(named, terms)
    some = np.array([bool(weights) for weights in named])
    return some[:, None] & some, rows @ rows.T


def _rows(weights: Sequence[object], terms: dict[str, int]) -> Matrix:
    rows = np.zeros((len(weights), max(1, len(terms))), np.float32)
    for row, terms_of_row in enumerate(weights):
        assert isinstance(terms_of_row, dict)
        for concept, weight in terms_of_row.items():
            rows[row, terms[concept]] = weight
    return rows


def ranked(matrix: Matrix) -> Order:
    """Return the columns of each row, the most similar first, the row itself left out."""
    without = matrix.copy()
    np.fill_diagonal(without, -np.inf)
    order: Order = np.argsort(-without, axis=1, kind="stable")[:, :-1]
    return order


def precision_at(order: Order, labels: Sequence[object], size: int = 10) -> float:
    """Return the mean share of the first `size` that have the label of the text queried about."""
    numbers = _numbers(labels)
    return float((numbers[order[:, :size]] == numbers[:, None]).mean())


def first_right(order: Order, labels: Sequence[object]) -> float:
    """Return the share of texts that have a companion whose first one has their label."""
    numbers = _numbers(labels)
    right = numbers[order] == numbers[:, None]
    return float(right[right.any(axis=1), 0].mean())


def mean_average_precision(order: Order, labels: Sequence[object]) -> float:
    """Return the mean over all texts that have a companion of the average precision."""
    numbers = _numbers(labels)
    right = numbers[order] == numbers[:, None]
    some = right.any(axis=1)
    hits = np.cumsum(right, axis=1) / np.arange(1, right.shape[1] + 1)
    average_precisions = (hits * right).sum(axis=1)[some] / right.sum(axis=1)[some]
    return float(average_precisions.mean())


def _numbers(labels: Sequence[object]) -> Order:
    known = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([known[label] for label in labels])


def pearson(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Pearson's correlation."""
    return float(np.corrcoef(one, other)[0, 1])


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's rank correlation; equal values share their mean rank."""
    return pearson(_ranks(one).tolist(), _ranks(other).tolist())


def _ranks(values: Sequence[float]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: NDArray[np.float64] = (last - (counts - 1) / 2)[inverse]
    return ranks
