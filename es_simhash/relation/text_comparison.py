"""Two texts compared without a cluster."""

import numpy as np

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme, require_same_scheme
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser, read_profiles
from es_simhash.relation.evidence import explained
from es_simhash.relation.relation import Coverage, Relation, combine, semantic_relation
from es_simhash.relation.scoring import Candidate, score_candidates
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.semantics.similarity import compare_profiles
from es_simhash.semantics.vocabularies.files import load_vocabulary

NOTHING = Relation(None, "none", 0.0, Coverage(0.0, 0.0))


def compare(
    text_a: str,
    text_b: str,
    *,
    scheme: Scheme = DEFAULT,
    semantics: SemanticScheme | None = DEFAULT_SEMANTICS,
    vocabulary: str | None = None,
) -> Relation:
    """Return the relation of text A (the query) to text B (the hit), with the evidence.

    Args:
        text_a: The query.
        text_b: The hit.
        scheme: Scheme of the fingerprints.
        semantics: Scheme of the semantic profiles; None to look for shared passages alone.
        vocabulary: File of synonyms or of a taxonomy that evidence takes names from.

    Returns:
        Kind `none` where there is no relation, with the score that was too low for one, without
        passages, and with what little they share in meaning; a text without words is related to
        nothing, with a score of 0.

    Raises:
        InputError: One of the texts has more than 16 MiB or 20,000 chunks.

    >>> compare("The harbour opens at six.", "the  HARBOUR opens\\nat six.").kind
    'exact'
    """
    profiler = None if semantics is None else semantic_profiler(semantics, vocabulary)
    names = None if vocabulary is None else load_vocabulary(vocabulary)
    query, hit = TextAnalyser(scheme, profiler, names).analyse([text_a, text_b])
    read_profiles([query, hit])
    return explained(compare_texts(query, hit), query, hit)


def compare_texts(
    query: AnalysedText, hit: AnalysedText, threshold: float = VERSION_SCORE
) -> Relation:
    """Return the relation of two analysed texts by what is stored of them, not by their passages.

    Args:
        query: The query.
        hit: The hit.
        threshold: Where versions begin in their index; the default for texts of none.

    Raises:
        InputError: One of the texts has more than 16 MiB or 20,000 chunks.
        SchemeMismatch: They were analysed with different schemes.
    """
    by_shingles = compare_fingerprints(query, hit, threshold)
    if query.is_empty or hit.is_empty:
        return by_shingles
    semantics = compare_profiles(query.profile, hit.profile)
    if semantics.similarity <= 0:
        return by_shingles
    return combine(by_shingles, semantic_relation(None, None, semantics))


def compare_fingerprints(
    query: AnalysedText, hit: AnalysedText, threshold: float = VERSION_SCORE
) -> Relation:
    """Return the relation of two texts by their fingerprints and sketches, without evidence.

    Args:
        query: The query.
        hit: The hit.
        threshold: As in `compare_texts`.

    Raises:
        SchemeMismatch: They come from different schemes.
    """
    require_same_scheme(query.fingerprints.scheme, hit.fingerprints.scheme)
    if query.is_empty or hit.is_empty:
        return NOTHING
    shared = np.intersect1d(query.shingles, hit.shingles, assume_unique=True)
    same = query.content_hash == hit.content_hash
    candidate = Candidate(None, hit.chunks, hit.sketch, shared, same)
    return score_candidates(query, [candidate], threshold)[0]
