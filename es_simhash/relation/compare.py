"""Two texts compared without a cluster."""

from dataclasses import replace

import numpy as np

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.scheme import DEFAULT, Scheme, require_same_scheme
from es_simhash.fingerprints.text_fingerprints import TextFingerprints
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser, read_profiles
from es_simhash.relation.combination import combine, semantic_relation
from es_simhash.relation.evidence import with_evidence
from es_simhash.relation.model import Coverage, Relation, semantic_score
from es_simhash.relation.scoring import Candidate, score_candidates
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.semantics.similarity import compare_profiles
from es_simhash.semantics.vocabulary.files import load_vocabulary

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
        Kind `none` where there is no relation; a text without words is related to nothing.

    Raises:
        InputError: One of the texts has more than 16 MiB or 20,000 chunks.

    >>> compare("The harbour opens at six.", "the  HARBOUR opens\\nat six.").kind
    'exact'
    """
    profiler = None if semantics is None else semantic_profiler(semantics, vocabulary)
    names = None if vocabulary is None else load_vocabulary(vocabulary)
    query, hit = TextAnalyser(scheme, profiler, names).analyse([text_a, text_b])
    read_profiles([query, hit])
    relation = compare_texts(query, hit, passages_first=True)
    if relation.kind == "none":
        return relation
    if relation.kind == "semantic" and relation.score < SHOWN_SCORE:
        return NOTHING
    explained = with_evidence(relation, query, hit)
    if explained.evidence or explained.kind != "shares_passages" or explained.semantics is None:
        return explained
    # Turns of phrase that nobody would call a passage: the semantic profiles say more.
    score = semantic_score(explained.semantics.similarity)
    if score < SHOWN_SCORE:
        return explained
    return with_evidence(replace(explained, kind="semantic", score=score), query, hit)


def compare_texts(
    query: AnalysedText, hit: AnalysedText, *, passages_first: bool = False
) -> Relation:
    """Return the relation of two analysed texts, without evidence.

    Args:
        query: The query.
        hit: The hit.
        passages_first: Show any shared passage as such, however near the texts are in meaning;
            otherwise the higher score decides below the versions, as it does for an index.

    Raises:
        InputError: One of the texts has more than 16 MiB or 20,000 chunks.
    """
    by_shingles = compare_fingerprints(query.fingerprints, hit.fingerprints)
    if query.is_empty or hit.is_empty:
        return by_shingles
    semantics = compare_profiles(query.profile, hit.profile)
    if passages_first and by_shingles.kind != "none":
        return replace(by_shingles, semantics=semantics if semantics.similarity else None)
    if semantics.similarity <= 0:
        return by_shingles
    return combine(by_shingles, semantic_relation(None, None, semantics))


def compare_fingerprints(query: TextFingerprints, hit: TextFingerprints) -> Relation:
    """Return the relation of two fingerprinted texts, without evidence.

    Raises:
        SchemeMismatch: They come from different schemes.
    """
    require_same_scheme(query.scheme, hit.scheme)
    if query.is_empty or hit.is_empty:
        return NOTHING
    chunks = ChunkFingerprints.of(hit)
    shared = np.flatnonzero(np.isin(query.shingles, hit.shingles, assume_unique=True))
    same = query.content_hash == hit.content_hash
    candidate = Candidate(None, chunks, shared, same)
    return score_candidates(query, len(query.shingles), [candidate])[0]
