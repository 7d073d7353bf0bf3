"""Two texts compared without a cluster."""

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.relation.analysed_text import TextAnalyser, read_profiles
from es_simhash.relation.evidence import explained
from es_simhash.relation.relation import Coverage, Relation
from es_simhash.relation.scoring import compare_fingerprints, compare_texts, with_log_odds
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_profile import WordTable
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
    query, hit = text_analyser(scheme, semantics, vocabulary).analyse([text_a, text_b])
    read_profiles([query, hit])
    return with_log_odds(explained(compare_texts(query, hit), query, hit), query, hit)


def coverage_of(text_a: str, text_b: str, scheme: Scheme = DEFAULT) -> Coverage:
    """Return how much of each text appears in the other, by their fingerprints alone.

    Args:
        text_a: The query.
        text_b: The hit.
        scheme: Scheme of the fingerprints.

    Raises:
        InputError: One of the texts has more than 16 MiB or 20,000 chunks.
    """
    query, hit = text_analyser(scheme, None, None).analyse([text_a, text_b])
    return compare_fingerprints(query, hit).coverage


def text_analyser(
    scheme: Scheme,
    semantics: SemanticScheme | None,
    vocabulary: str | None,
    table: WordTable | None = None,
) -> TextAnalyser:
    """Return what analyses texts by some schemes.

    Args:
        scheme: Scheme of the fingerprints.
        semantics: Scheme of the semantic profiles; None for none.
        vocabulary: File of synonyms or of a taxonomy that evidence takes names from.
        table: The word vectors learned from the index, when the scheme has such.
    """
    profiler = None if semantics is None else semantic_profiler(semantics, vocabulary, table)
    names = None if vocabulary is None else load_vocabulary(vocabulary)
    return TextAnalyser(scheme, profiler, names)
