"""Counting the background of an index from a sample of its texts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from es_simhash.semantics.background import (
    COMMON,
    MAX_TERMS,
    MIN_DOCUMENTS,
    Background,
    LanguageBackground,
)
from es_simhash.semantics.semantic_profile import SemanticProfile
from es_simhash.semantics.similarity import FULL_NAME, entity_terms


@dataclass
class BackgroundCounts:
    """In how many texts words and names stand, by language.

    Attributes:
        documents: Texts of each language.
    """

    documents: Counter[str] = field(default_factory=Counter)
    _words: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _names: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, profiles: Iterable[SemanticProfile]) -> None:
        """Count texts by their semantic profiles."""
        for profile in profiles:
            concepts = profile.stored_concepts()
            if not concepts:
                continue
            language = profile.language
            self.documents[language] += 1
            self._words[language].update(concepts.keys())
            terms = entity_terms(profile.stored_entities(), profile)
            self._names[language].update(term.removeprefix(FULL_NAME) for term in terms)

    def background(self, date: str, scheme: str) -> Background | None:
        """Return what was counted of languages with enough texts; None without any.

        Args:
            date: When it was counted, in ISO 8601 and UTC.
            scheme: Name of the semantic scheme by which texts were read.
        """
        languages = {
            language: LanguageBackground(
                count,
                _frequent(self._words[language], count),
                _frequent(self._names[language], count),
                round(self._words[language].total() / count, 2),
            )
            for language, count in sorted(self.documents.items())
            if language and count >= MIN_DOCUMENTS
        }
        return Background(date, scheme, languages) if languages else None


def _frequent(counts: Counter[str], documents: int) -> dict[str, int]:
    """Return the terms that are common enough to weigh less, the most frequent first."""
    least = COMMON * documents
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return {term: count for term, count in ranked[:MAX_TERMS] if count > least}


def drift(old: Background, new: Background) -> float:
    """Return by how much the weights of common words and names differ, from 0 to 1.

    It is the mean difference of their factors, by how many documents have them, in the language
    where it is greatest; 1 where a language is new or gone.
    """
    if old.languages.keys() != new.languages.keys():
        return 1.0
    return max(
        _difference(old.languages[code], language) for code, language in new.languages.items()
    )


def _difference(old: LanguageBackground, new: LanguageBackground) -> float:
    before, after = old.name_factors, new.name_factors
    shares = _shares(old), _shares(new)
    total = changed = 0.0
    for term in before.keys() | after.keys():
        share = max(counts.get(term, 0.0) for counts in shares)
        total += share
        changed += share * abs(before.get(term, 1.0) - after.get(term, 1.0))
    return changed / total if total else 0.0


def _shares(language: LanguageBackground) -> Mapping[str, float]:
    counts = {**language.words, **language.names}
    return {term: count / language.documents for term, count in counts.items()}
