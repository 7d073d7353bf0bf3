"""Two texts compared without a cluster."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from es_simhash.concepts.meaning import DEFAULT_MEANING, Meaning, MeaningScheme
from es_simhash.concepts.neighbour import compare_meanings
from es_simhash.concepts.reading import meaning_reader
from es_simhash.concepts.vocabulary_files import load_vocabulary
from es_simhash.document import StoredChunks
from es_simhash.fingerprints import TextFingerprints, fingerprint_batch
from es_simhash.judging import Candidate, relate
from es_simhash.limits import require_few_chunks, within_limit
from es_simhash.merging import merged
from es_simhash.query.asking import Asking
from es_simhash.query.neighbours import Neighbour
from es_simhash.relation import SHOWN_SCORE, Coverage, Relation, semantic_score
from es_simhash.scheme import DEFAULT, Scheme, require_same
from es_simhash.telling import Reading, told

NOTHING = Relation(None, "none", 0.0, Coverage(0.0, 0.0))
_ANYTHING = Asking(min_score=0.0)


def compare(
    text_a: str,
    text_b: str,
    *,
    scheme: Scheme = DEFAULT,
    meaning: MeaningScheme | None = DEFAULT_MEANING,
    vocabulary: str | None = None,
) -> Relation:
    """Give the relation of text A (the query) to text B (the hit), with the evidence.

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
    reader = None if meaning is None else meaning_reader(meaning, vocabulary)
    meanings = [Meaning(), Meaning()] if reader is None else reader.read(texts)
    relation = compare_texts(text_a, text_b, scheme, meanings, passages_first=True)
    if relation.kind == "none":
        return relation
    if relation.kind == "semantic" and relation.score < SHOWN_SCORE:
        return NOTHING
    table = None if reader is None else reader.vectors
    names = None if vocabulary is None else load_vocabulary(vocabulary)
    ours, theirs = (
        Reading(text, one, scheme, table, names) for text, one in zip(texts, meanings, strict=True)
    )
    found = told(relation, ours, theirs)
    if found.evidence or found.kind != "shares_passages" or found.meaning is None:
        return found
    # Turns of phrase that nobody would call a passage: what both are about says more.
    score = semantic_score(found.meaning.similarity)
    if score < SHOWN_SCORE:
        return found
    return told(replace(found, kind="semantic", score=score), ours, theirs)


def compare_texts(
    text_a: str,
    text_b: str,
    scheme: Scheme,
    meanings: Sequence[Meaning],
    *,
    passages_first: bool = False,
) -> Relation:
    """Give the relation of two texts whose meanings were read, without evidence.

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
    shared = compare_meanings(*meanings)
    if passages_first and judged.kind != "none":
        return replace(judged, meaning=shared if shared.similarity else None)
    neighbour = Neighbour(None, None, shared)
    near = [neighbour] if shared.similarity > 0 else []
    found = merged([judged], near, _ANYTHING)
    if not found:
        return judged
    best = found[0]
    return Relation(None, best.kind, best.score, judged.coverage, meaning=best.meaning)


def compare_fingerprints(one: TextFingerprints, other: TextFingerprints) -> Relation:
    """Give the relation of two fingerprinted texts, without evidence.

    Raises:
        SchemeMismatch: They come from different schemes.
    """
    require_same(one.scheme, other.scheme)
    if one.is_empty or other.is_empty:
        return NOTHING
    chunks = StoredChunks.of(other)
    shared = np.flatnonzero(np.isin(one.passages, other.passages, assume_unique=True))
    same = one.content_hash == other.content_hash
    return relate(one, len(one.passages), [Candidate(None, chunks, shared, same)])[0]
