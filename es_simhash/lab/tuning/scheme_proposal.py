"""Which scheme finds labelled versions: an index itself cannot show what it does not find."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.simhash import hamming_distances
from es_simhash.lab.evaluation.evaluation_figures import LabelledSet
from es_simhash.lab.evaluation.pair_measures import DocumentPairs
from es_simhash.lab.methods.project_method import read_texts
from es_simhash.lab.tuning.tuning_figures import SchemeFigures, SchemeProposal
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.shared_shingles import least_shared, sampled, shared_shingles

# Windows and numbers of blocks that are compared with those of the scheme: smaller windows pick
# more shingles, more blocks guarantee a larger k.
_WINDOWS, _BLOCKS = (8, 4), 16
# Another scheme is suggested when it finds so many versions more, and such a share of them all.
_LEAST_GAIN, _LEAST_SHARE = 5, 0.02

_UNKNOWN = (
    "Without labels nothing shows which versions the scheme misses: the index itself cannot find "
    "them."
)


def unlabelled_scheme(scheme: Scheme) -> SchemeProposal:
    """Return the present scheme: a sample of an index is no evidence for another."""
    return SchemeProposal(scheme.name, scheme.name, _UNKNOWN)


def suggested_scheme(
    scheme: Scheme, labelled: LabelledSet, texts: Sequence[AnalysedText | None]
) -> SchemeProposal:
    """Return the scheme that finds clearly more of the labelled versions, or the present one.

    Args:
        scheme: Scheme of the index.
        labelled: Labelled pairs.
        texts: Their texts, analysed by this scheme.
    """
    own = _figures(scheme, texts, labelled.pairs)
    if own.found == own.versions:
        reason = f"The scheme finds all {own.versions} labelled versions."
        return SchemeProposal(scheme.name, scheme.name, reason, (own,))
    others = [
        _figures(other, read_texts(labelled.texts, other).texts, labelled.pairs)
        for other in (
            *(replace(scheme, window=window) for window in _WINDOWS if window < scheme.window),
            *([replace(scheme, blocks=_BLOCKS)] if scheme.blocks < _BLOCKS else []),
        )
    ]
    compared = (own, *others)
    best = max(compared, key=lambda each: (each.found, -each.shingles))
    gain = best.found - own.found
    if gain < max(_LEAST_GAIN, _LEAST_SHARE * own.versions):
        reason = (
            f"The scheme finds {own.found} of {own.versions} labelled versions, and no other that "
            "was compared finds clearly more."
        )
        return SchemeProposal(scheme.name, scheme.name, reason, compared)
    reason = (
        f"It finds {best.found} of {own.versions} labelled versions, the present scheme "
        f"{own.found}; install it in a new index and ingest again."
    )
    return SchemeProposal(best.scheme, scheme.name, reason, compared)


def _figures(
    scheme: Scheme, texts: Sequence[AnalysedText | None], pairs: DocumentPairs
) -> SchemeFigures:
    rows = zip(pairs.first[pairs.labels].tolist(), pairs.second[pairs.labels].tolist(), strict=True)
    versions_found = sum(
        _are_found(texts[first], texts[second], scheme.max_k) for first, second in rows
    )
    shingles = [len(text.shingles) for text in texts if text is not None]
    versions = int(pairs.labels.sum())
    return SchemeFigures(scheme.name, versions_found, versions, float(np.mean(shingles or [0])))


def _are_found(one: AnalysedText | None, other: AnalysedText | None, k: int) -> bool:
    """Check whether a search finds one of two texts with the other."""
    if one is None or other is None:
        return False
    if one.content_hash == other.content_hash or _finds(one, other) or _finds(other, one):
        return True
    prints = [text.fingerprints.document for text in (one, other)]
    rows = [row[None] for row in prints if row is not None]
    return int(hamming_distances(*rows)[0, 0]) <= k


def _finds(query: AnalysedText, hit: AnalysedText) -> bool:
    """Check whether `related` finds one text by the shingles of another."""
    shared = shared_shingles(sampled(query.shingles), hit.shingles)
    return shared >= least_shared(len(query.shingles))
