"""How common the text that two documents share is in their index; not part of their relation."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from es_simhash.relation.candidate import Candidate
from es_simhash.relation.model import Relation
from es_simhash.relation.thresholds import COMMON_DOCUMENTS


def with_commonness(
    relations: Sequence[Relation], candidates: Sequence[Candidate]
) -> list[Relation]:
    """Return relations with the share of the shared text that many other documents have.

    A shingle is common when COMMON_DOCUMENTS other candidates of the query have it as well. Those
    are the documents that share most with it, so what is called common is.

    Args:
        relations: Of the candidates, in their order.
        candidates: All that were found.
    """
    if not candidates:
        return []
    counts = [len(candidate.shared) for candidate in candidates]
    everything = np.concatenate([candidate.shared for candidate in candidates])
    _, places, frequencies = np.unique(everything, return_inverse=True, return_counts=True)
    is_common = np.concatenate([[0], np.cumsum(frequencies[places] > COMMON_DOCUMENTS)])
    ends = np.cumsum(counts)
    common = is_common[ends] - is_common[ends - counts]
    return [
        replace(relation, common=round(float(part) / count, 4)) if count else relation
        for relation, part, count in zip(relations, common.tolist(), counts, strict=True)
    ]
