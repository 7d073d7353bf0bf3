"""The concepts and entities that two texts share, as they are written, and what each adds."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from es_simhash.semantics.languages.word_lists import is_stop_word
from es_simhash.semantics.semantic_profile import VOCABULARY_PREFIX, SemanticProfile
from es_simhash.semantics.semantic_similarity import SharedConcept
from es_simhash.semantics.similarity import (
    FULL_NAME,
    SimilarityWeights,
    entity_terms,
    have_comparable_vectors,
    name_terms,
)
from es_simhash.semantics.spellings import Spellings

# More are not readable as evidence.
MAX_SHARED_CONCEPTS = 12
_DIGITS = 4

Parts = dict[str, float]


def shared_concepts(
    query: SemanticProfile,
    hit: SemanticProfile,
    spellings: Spellings,
    labels: Mapping[str, str] | None = None,
) -> tuple[SharedConcept, ...]:
    """Return the concepts and entities two texts share, the entities first.

    Those that contribute most are returned, and come first among the entities and among the rest.
    They are written as in the texts. The words of an entity that both mention are reported as that
    entity, once, and so are words of scripts without spaces within a longer one. Units of numbers
    are left out where there is anything else.

    Args:
        query: Profile of the query.
        hit: Profile of the hit.
        spellings: Spellings of words in both texts.
        labels: Labels of concepts of the vocabulary, by their terms.
    """
    words, names = _parts(query, hit)
    shared = _entities(query, hit, spellings, words, names)
    # What is left of names are words that different names have in common.
    for word, part in names.items():
        words[word] = words.get(word, 0.0) + part
    shared += _terms(words, query.language, spellings, labels or {})
    most = sorted(shared, key=lambda concept: -concept.contribution)[:MAX_SHARED_CONCEPTS]
    return tuple(sorted(most, key=lambda concept: not concept.is_entity))


def _parts(query: SemanticProfile, hit: SemanticProfile) -> tuple[Parts, Parts]:
    """Return what the shared words add to the similarity, and what the terms of names do."""
    query_terms = entity_terms(query.stored_entities(), query)
    hit_terms = entity_terms(hit.stored_entities(), query)
    weights = SimilarityWeights.of(
        query,
        vectors=have_comparable_vectors(query, hit),
        entities=bool(query_terms and hit_terms),
    )
    words = _products(query.query_concepts(), hit.stored_concepts(), weights.concepts)
    return words, _products(query_terms, hit_terms, weights.entities)


def _products(query: Mapping[str, float], stored: Mapping[str, float], weight: float) -> Parts:
    return {
        term: weight * of_query * stored[term] for term, of_query in query.items() if term in stored
    }


def _entities(
    query: SemanticProfile, hit: SemanticProfile, spellings: Spellings, words: Parts, names: Parts
) -> list[SharedConcept]:
    """Return the entities of both texts in full; what they add is taken out of words and names."""
    ours, theirs = _names_by_terms(query, query), _names_by_terms(hit, query)
    shared: list[SharedConcept] = []

    def add(name: str, terms: frozenset[str]) -> None:
        # Where a dictionary divides a text, a name is a word of it.
        own = {*terms, name.casefold()} if name else ()
        part = sum(names.pop(term, 0.0) + words.pop(term, 0.0) for term in own)
        if part:
            shared.append(SharedConcept(name, round(part, _DIGITS), is_entity=True))

    full = {
        terms: name
        for own, others in ((ours, theirs), (theirs, ours))
        for terms, name in own.items()
        # A name may be found in one text alone, as at the beginning of a sentence it is not.
        if terms in others or (len(terms) > 1 and spellings.both_have(name))
    }
    # Ours come last, so that they are how both are written.
    full |= {terms: ours[terms] for terms in full if terms in ours}
    for terms in sorted(full, key=lambda terms: (-len(terms), -len(full[terms]), full[terms])):
        add(full[terms], terms)
    for own, others in ((ours, theirs), (theirs, ours)):
        for terms in own:
            if terms not in full:
                add(_longer_name(terms, own, others), terms)
    return shared


def _names_by_terms(profile: SemanticProfile, query: SemanticProfile) -> dict[frozenset[str], str]:
    """Return the names of a text by their terms, of several the first; without terms none."""
    names: dict[frozenset[str], str] = {}
    for name in profile.stored_entities():
        terms = _terms_of_name(name, query.language, query.packages)
        if terms:
            names.setdefault(terms, name)
    return names


@lru_cache(maxsize=1 << 14)
def _terms_of_name(name: str, language: str, packages: frozenset[str]) -> frozenset[str]:
    return frozenset(name_terms(name, language, packages))


def _longer_name(
    terms: frozenset[str], own: Mapping[frozenset[str], str], others: Mapping[frozenset[str], str]
) -> str:
    """Return the name in full where one text has a name by one word of it alone; "" for none.

    With `Lagarde` in one text and `Christine Lagarde` in the other, both mention the latter: it is
    the one name that ends with the word. Otherwise the name is as it is written.
    """
    longer = [name for those, name in others.items() if terms < those]
    if len(terms) > 1 or not longer:
        return ""
    ending = [name for name in longer if name.casefold().endswith(f" {own[terms].casefold()}")]
    return ending[0] if len(ending) == 1 else own[terms]


def _terms(
    words: Parts, language: str, spellings: Spellings, labels: Mapping[str, str]
) -> list[SharedConcept]:
    """Return words as they are written, equal ones once, without units where there is more.

    Nor are there stop words, which short texts share, where there is more.
    """
    words = {w: part for w, part in words.items() if not is_stop_word(w, language)} or words
    if language == "zh":
        words = _with_parts(words)
    written: Parts = defaultdict(float)
    units: Parts = defaultdict(float)
    left = dict(words)
    for text, inside in spellings.joined(words):
        written[text] += sum(left.pop(word) for word in inside)
    for word, part in left.items():
        if word.startswith(VOCABULARY_PREFIX):
            written[labels.get(word, word.removeprefix(VOCABULARY_PREFIX))] += part
        elif word.startswith(FULL_NAME):
            written[word.removeprefix(FULL_NAME)] += part
        elif spellings.is_unit(word):
            units[spellings.form(word)] += part
        else:
            written[spellings.form(word)] += part
    return [SharedConcept(text, round(part, _DIGITS)) for text, part in (written or units).items()]


def _with_parts(words: Parts) -> Parts:
    """Return the contributions of the words, each with those of the words that lie within it."""
    whole: Parts = {}
    for word in sorted(words, key=len, reverse=True):
        wholes: Sequence[str] = () if word.isascii() else list(whole)
        container = next((longer for longer in wholes if word in longer), word)
        whole[container] = whole.get(container, 0.0) + words[word]
    return whole
