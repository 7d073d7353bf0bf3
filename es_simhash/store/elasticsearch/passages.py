"""The searches for documents that share a passage, by the rare words of the text's sentences."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.relation.alignment.sorted_arrays import first_places
from es_simhash.semantics.rarity import rarity
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.conditions import clauses
from es_simhash.store.elasticsearch.hits import best_of, places_of
from es_simhash.store.elasticsearch.searches import TermSearch
from es_simhash.store.intents import Filter, FindSharedWords, PassageText
from es_simhash.store.rows import TextHits

# A passage of so many sentences is searched by its rarest words: as many as these.
_SENTENCES, _WORDS = 2, 6
# Fewer words are in many documents together by chance.
_LEAST_WORDS = 3
_LEAST_LETTERS = 3
# Passages of one search; longer texts need several. The smallest nodes accept 1,024 terms, and an
# analyser may make several of a word.
_PASSAGES = 32
# Searches of one text. More passages than these have room for are sampled, evenly.
_MAX_SEARCHES = 200
# Documents of each search, as many as are to be shown: those whose best passage has most in
# common with one of the text.
_LEAST_HITS, _MOST_HITS = 10, 100
# So many more are requested, for those that are as good as the last.
_EQUAL_HITS = 20
# Documents of all searches of one text.
_MAX_DOCUMENTS = 100
# A document has to have so many of the words of a passage.
_LEAST_COMMON = "40%"


def passage_queries(
    request: FindSharedWords, config: IndexConfig, *, has_fingerprints: bool
) -> list[dict[str, Any]]:
    """Return the bodies of the searches for documents that may share a passage with a text.

    The field of the text is an inverted index of every word already. Documents are ranked by the
    passage that has most in common with them, so that one of three sentences counts as much in a
    long text as in a short one.

    Args:
        request: The request.
        config: Of the index.
        has_fingerprints: Whether the index that is searched has them.
    """
    hits = _hits(request) + _EQUAL_HITS
    passages = list(_passages(request))
    most = _PASSAGES * _MAX_SEARCHES
    if len(passages) > most:
        passages = [passages[place] for place in np.linspace(0, len(passages) - 1, most, dtype=int)]
    required, excluded = clauses(request.where, config)
    own_scheme = [config.of_scheme] if has_fingerprints else []
    common = {
        "size": hits,
        "_source": False,
        "track_total_hits": False,
        # Nearly all documents fulfil both. Within the query they would keep Lucene from skipping
        # documents that cannot be among the best: three times the time, with a million.
        "post_filter": {"bool": {"filter": own_scheme, "must_not": excluded}},
    }
    queries = (
        [_clause(config.text_fields, words) for words in passages[start : start + _PASSAGES]]
        for start in range(0, len(passages), _PASSAGES)
    )
    return [TermSearch(common, query=_best_of(some, required)) for some in queries]


def read_shared_words(responses: Sequence[Mapping[str, Any]], request: FindSharedWords) -> TextHits:
    """Return the documents of the searches of `passage_queries`, best first."""
    found = [
        hit for response in responses for hit in best_of(response["hits"]["hits"], _hits(request))
    ]
    hits = best_of(found, len(found))
    keys = dict.fromkeys((hit["_index"], hit["_id"]) for hit in hits)
    # A text of one search or two is answered with as many documents as one search returns.
    most = min(_MAX_DOCUMENTS, max(request.size, _LEAST_HITS) * max(1, len(responses) // 2))
    is_sampled = request.text.sentence_words.count > _SENTENCES * _PASSAGES * _MAX_SEARCHES
    is_cut = is_sampled or any("rejected" in response for response in responses)
    return TextHits(
        keys=list(keys)[:most], is_cut=bool(responses) and is_cut, places=places_of(hits)
    )


def _hits(request: FindSharedWords) -> int:
    """Return how many documents one search is to find."""
    return min(max(request.size, _LEAST_HITS), _MOST_HITS)


def _best_of(passages: Sequence[Filter], required: Sequence[Filter]) -> Filter:
    """Return the query that scores documents by the best of some passages."""
    best = {"dis_max": {"queries": list(passages)}}
    return {"bool": {"filter": list(required), "must": [best]}} if required else best


def _clause(fields: Sequence[str], words: Sequence[str]) -> Filter:
    """Return the query for the words of a passage; lenient, as a field may not be indexed."""
    match = {
        "query": " ".join(words),
        "minimum_should_match": _LEAST_COMMON,
        "lenient": True,
    }
    if len(fields) == 1:
        return {"match": {fields[0]: match}}
    # A passage is in one of the fields.
    return {"multi_match": {**match, "type": "best_fields", "fields": list(fields)}}


def _passages(request: FindSharedWords) -> Iterator[list[str]]:
    """Yield the rarest words of each passage, as they are in the text."""
    text, sentences = request.text, request.text.sentence_words
    ranks = _ranks(text, request.language)
    for first in range(0, sentences.count, _SENTENCES):
        start = int(sentences.bounds[first])
        end = int(sentences.bounds[min(first + _SENTENCES, sentences.count)])
        words, places = first_places(sentences.places[start:end])
        rarest = np.argsort(-ranks[words], kind="stable")[:_WORDS]
        chosen = [place for place in rarest.tolist() if ranks[words[place]] > 0]
        if len(chosen) >= _LEAST_WORDS:
            yield text.words_at(start + places[chosen])


def _ranks(text: PassageText, language: str) -> NDArray[np.float64]:
    """Return how rare each word is, in its language and then in the text; 0 of what says nothing.

    That are numbers and words of one or two letters, but for those of scripts without spaces.
    """
    sentences = text.sentence_words
    _, places = first_places(sentences.places)
    words = text.words_at(places)
    ranks = rarity(words, language).astype(np.float64)
    ranks += sentences.weights / (1 + sentences.weights.max(initial=0))
    ranks[[len(word) < _LEAST_LETTERS and word.isascii() for word in words]] = 0
    ranks[[word.isdigit() for word in words]] = 0
    return ranks
