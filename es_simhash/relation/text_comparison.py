"""Two texts compared without a cluster."""

from dataclasses import replace

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser, read_profiles
from es_simhash.relation.evidence import by_passages, with_evidence
from es_simhash.relation.relation import (
    Relation,
)
from es_simhash.relation.scoring import compare_texts
from es_simhash.relation.shared_passages import aligned_passages
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.semantics.vocabularies.vocabulary_files import load_vocabulary


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


def explained(
    relation: Relation, query: AnalysedText, hit: AnalysedText, min_score: float | None = None
) -> Relation:
    """Return how two texts are related, or that they are not, with all there is to say about it.

    Texts that are less near in meaning than neighbours are not related: no passages are nearest,
    but what little they share in meaning is still there.

    Args:
        relation: The relation by fingerprints and semantic profiles.
        query: The query.
        hit: The hit.
        min_score: Score from which on the index shows relations; None for 0.3. What it shows is
            related.
    """
    passages = aligned_passages(query, hit)
    decided = by_passages(relation, query, hit, passages)
    explained_relation = with_evidence(decided, query, hit, passages)
    least = SHOWN_SCORE if min_score is None else min(min_score, SHOWN_SCORE)
    if decided.kind != "semantic" or decided.score >= least:
        return explained_relation
    return replace(explained_relation, kind="none", evidence=())
