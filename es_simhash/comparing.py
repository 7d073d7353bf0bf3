"""Two texts compared without a cluster."""

from dataclasses import replace

import numpy as np

from es_simhash.document import StoredChunks
from es_simhash.evidence import read, shared_passages
from es_simhash.fingerprints import TextFingerprints, fingerprint_batch
from es_simhash.limits import require_few_chunks, within_limit
from es_simhash.relation import Candidate, Coverage, Relation, relate
from es_simhash.scheme import DEFAULT, Scheme, require_same

NOTHING = Relation(None, "none", 0.0, Coverage(0.0, 0.0))


def compare(text_a: str, text_b: str, *, scheme: Scheme = DEFAULT) -> Relation:
    """Give the relation of text A (the query) to text B (the hit), with the passages they share.

    Returns:
        Kind `none` where there is no relation; a text without words is related to nothing.

    Raises:
        InputError: One of the texts has more than 16 MiB or 20,000 chunks.

    >>> compare("The harbour opens at six.", "the  HARBOUR opens\\nat six.").kind
    'exact'
    """
    one, other = fingerprint_batch([within_limit(text_a), within_limit(text_b)], scheme)
    for each in (one, other):
        require_few_chunks(len(each.chunks))
    relation = compare_fingerprints(one, other)
    if relation.kind == "none":
        return relation
    return replace(relation, evidence=shared_passages(read(text_a, scheme), read(text_b, scheme)))


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
