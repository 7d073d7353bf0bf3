"""The background of an index: how many of its documents have each concept and each name.

A word that is rare in the language may occur in every document of an index, as `dlrs` does in
business news. It says little there about what a text is about, and weighs as much less.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

# Different texts of a language that are needed to count (docs/semantic-neighbours.md).
MIN_DOCUMENTS = 200
# What stands in a greater share of the documents weighs less: chosen on plateaus over several
# collections (docs/semantic-neighbours.md).
COMMON = 0.01
# In texts of fewer words than this the limit is as much higher: a sentence has few words, and what
# is common among sentences still says what it is about (docs/semantic-neighbours.md).
_FULL_WORDS = 25
# A name of a smaller factor is left out: it occurs in a tenth of the documents, of sentences in
# more.
_LEAST_NAME = 0.5
# Words and names of a language that are kept, the most frequent: some 5 % stand in so many texts.
MAX_TERMS = 5_000
# Hexadecimal digits of the digest in a name.
_DIGITS = 8


@dataclass(frozen=True)
class LanguageBackground:
    """How common words and names are in the documents of one language.

    Attributes:
        documents: Different texts that were counted.
        words: How many of them have a word among their concepts, the heaviest words of a text;
            rarer than each of these is what is not here.
        names: How many have a word, or several that are a name, among the words of their names.
        words_each: Words that a text has among its concepts, on average.
    """

    documents: int
    words: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, int] = field(default_factory=dict)
    words_each: float = _FULL_WORDS

    @cached_property
    def word_factors(self) -> dict[str, float]:
        """What words weigh as concepts, as a share of their weight in the language."""
        return self._factors(self.words)

    @cached_property
    def name_factors(self) -> dict[str, float]:
        """What words of names weigh as names, likewise; and by all their words, whole names.

        A name that few texts name is common where many have it among their concepts.
        """
        return self._factors(Counter(self.names) | Counter(self.words))

    def _factors(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Return log(share) / log(limit) of what is common; the rest has 1, and is left out."""
        log_limit = math.log(COMMON) * min(1.0, self.words_each / _FULL_WORDS)
        factors = {}
        for term, count in counts.items():
            log_share = math.log(min(1.0, (count + 0.5) / (self.documents + 1)))
            if log_share > log_limit:
                # As it is computed everywhere, so that a pair has one score.
                factors[term] = round(log_share / log_limit, 4)
        return factors


@dataclass(frozen=True)
class Background:
    """How common words and names are in one index, counted once.

    Attributes:
        date: When it was counted, in ISO 8601 and UTC.
        scheme: Name of the semantic scheme by which texts were read.
        languages: The counts, by ISO 639-1 code; a language with few documents has none.
    """

    date: str
    scheme: str
    languages: Mapping[str, LanguageBackground] = field(repr=False)

    @cached_property
    def name(self) -> str:
        """Day and digest of the counts: another background has another name."""
        content = json.dumps([self.scheme, self.counts()], sort_keys=True, ensure_ascii=False)
        digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{self.date[:10]}-{digest[:_DIGITS]}"

    @property
    def documents(self) -> int:
        """Different texts that were counted."""
        return sum(language.documents for language in self.languages.values())

    def counts(self) -> dict[str, dict[str, Any]]:
        """Return the counts of each language in JSON."""
        return {
            code: {
                "documents": language.documents,
                "words": dict(language.words),
                "names": dict(language.names),
                "words_each": language.words_each,
            }
            for code, language in sorted(self.languages.items())
        }

    def weighed_concepts(self, concepts: Mapping[str, float], language: str) -> dict[str, float]:
        """Return weights of a text's concepts, so that their products with others weigh less.

        The factor of a concept counts for both texts. What weighs nothing is left out.
        """
        known = self.languages.get(language)
        if known is None:
            return dict(concepts)
        factors = known.word_factors
        weighed = {
            concept: weight * factors.get(concept, 1.0) ** 2 for concept, weight in concepts.items()
        }
        return {concept: weight for concept, weight in weighed.items() if weight > 0}

    def weighed_names(
        self, terms: Mapping[str, float], language: str, prefix: str
    ) -> dict[str, float]:
        """Return rarities of names and of their words, less of those that are common.

        What stands in a tenth of the documents is left out: were it the only name of two texts, it
        would be all that their names have in common.

        Args:
            terms: The rarities.
            language: ISO 639-1 code.
            prefix: What terms of whole names begin with.
        """
        known = self.languages.get(language)
        if known is None:
            return dict(terms)
        factors = {term: known.name_factors.get(term.removeprefix(prefix), 1.0) for term in terms}
        return {
            term: rarity * factors[term]
            for term, rarity in terms.items()
            if factors[term] >= _LEAST_NAME
        }
