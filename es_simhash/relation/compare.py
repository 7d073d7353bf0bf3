"""Two texts compared without a cluster."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from es_simhash.fingerprints.chunks import ChunkFingerprints
from es_simhash.fingerprints.scheme import DEFAULT, Scheme, require_same
from es_simhash.fingerprints.text_fingerprints import TextFingerprints, fingerprint_batch
from es_simhash.query.neighbours import Neighbour
from es_simhash.query.options import SearchOptions
from es_simhash.query.ranking import merged
from es_simhash.relation.evidence import Reading, told
from es_simhash.relation.model import SHOWN_SCORE, Coverage, Relation, semantic_score
from es_simhash.relation.scoring import Candidate, relate
from es_simhash.semantics.profile import DEFAULT_SEMANTICS, SemanticProfile, SemanticScheme
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.similarity import compare_profiles
from es_simhash.semantics.vocabulary.files import load_vocabulary
from es_simhash.text.limits import require_few_chunks, within_limit

NOTHING = Relation(None, "none", 0.0, Coverage(0.0, 0.0))
_ANYTHING = SearchOptions(min_score=0.0)


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
        meaning: What is read from the texts; None to look for shared passages alone.
        vocabulary: File of synonyms or of a taxonomy that evidence takes names from.

    Returns:
        Kind `none` where there is no relation; a text without words is related to nothing.

    Raises:
        InputError: One of the texts has more than 16 MiB or 20,000 chunks.

    >>> compare("The harbour opens at six.", "the  HARBOUR opens\\nat six.").kind
    'exact'
    """
    texts = [within_limit(text_a), within_limit(text_b)]
    reader = None if semantics is None else semantic_profiler(semantics, vocabulary)
    profiles = [SemanticProfile(), SemanticProfile()] if reader is None else reader.read(texts)
    relation = compare_texts(text_a, text_b, scheme, profiles, passages_first=True)
    if relation.kind == "none":
        return relation
    if relation.kind == "semantic" and relation.score < SHOWN_SCORE:
        return NOTHING
    table = None if reader is None else reader.vectors
    names = None if vocabulary is None else load_vocabulary(vocabulary)
    ours, theirs = (
        Reading(text, one, scheme, table, names) for text, one in zip(texts, profiles, strict=True)
    )
    found = told(relation, ours, theirs)
    if found.evidence or found.kind != "shares_passages" or found.semantics is None:
        return found
    # Turns of phrase that nobody would call a passage: what both are about says more.
    score = semantic_score(found.semantics.similarity)
    if score < SHOWN_SCORE:
        return found
    return told(replace(found, kind="semantic", score=score), ours, theirs)


def compare_texts(
    text_a: str,
    text_b: str,
    scheme: Scheme,
    profiles: Sequence[SemanticProfile],
    *,
    passages_first: bool = False,
) -> Relation:
    """Return the relation of two texts whose meanings were read, without evidence.

    Args:
        text_a: The query.
        text_b: The hit.
        scheme: Scheme of the fingerprints.
        meanings: Of both.
        passages_first: Tell any shared passage as such, however near the texts are in meaning;
            otherwise the higher score decides below the versions, as it does for an index.

    Raises:
        InputError: One of the texts has more than 16 MiB or 20,000 chunks.
    """
    one, other = fingerprint_batch([within_limit(text_a), within_limit(text_b)], scheme)
    for each in (one, other):
        require_few_chunks(len(each.chunks))
    judged = compare_fingerprints(one, other)
    if one.is_empty or other.is_empty:
        return judged
    shared = compare_profiles(*profiles)
    if passages_first and judged.kind != "none":
        return replace(judged, semantics=shared if shared.similarity else None)
    neighbour = Neighbour(None, None, shared)
    near = [neighbour] if shared.similarity > 0 else []
    found = merged([judged], near, _ANYTHING)
    if not found:
        return judged
    best = found[0]
    return Relation(None, best.kind, best.score, judged.coverage, semantics=best.semantics)


def compare_fingerprints(one: TextFingerprints, other: TextFingerprints) -> Relation:
    """Return the relation of two fingerprinted texts, without evidence.

    Raises:
        SchemeMismatch: They come from different schemes.
    """
    require_same(one.scheme, other.scheme)
    if one.is_empty or other.is_empty:
        return NOTHING
    chunks = ChunkFingerprints.of(other)
    shared = np.flatnonzero(np.isin(one.shingles, other.shingles, assume_unique=True))
    same = one.content_hash == other.content_hash
    return relate(one, len(one.shingles), [Candidate(None, chunks, shared, same)])[0]
