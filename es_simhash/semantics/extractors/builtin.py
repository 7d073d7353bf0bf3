"""The extractor that needs no model: rules, word lists, and jieba for Chinese where installed."""

from collections.abc import Sequence

from es_simhash.semantics.entities.rules import find_entities
from es_simhash.semantics.extraction import Extraction, Phrase
from es_simhash.semantics.extractors.phrases import find_phrases
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.detection import language_of
from es_simhash.semantics.languages.words import count_forms, count_words, fold_forms
from es_simhash.semantics.profile import BUILTIN, installed_packages
from es_simhash.semantics.rarity import UNKNOWN, rarity

# Texts without stop words, such as headlines, are English when this many of their words are.
_MOST_KNOWN = 0.8
_READ = 2000


def _perhaps_english(text: str) -> str:
    """Return `en` for a text that has no stop word to tell by, but English words."""
    if not text[:_READ].isascii():
        return ""
    words = count_words(text[:_READ], "en")
    known = rarity(words, "en", frozenset()) < UNKNOWN
    return "en" if words and known.mean() >= _MOST_KNOWN else ""


class BuiltinExtractor:
    """Reads texts by rules.

    Args:
        language: ISO 639-1 code when all texts are in one language; empty to guess it for each.
        phrases: Also finds key phrases, which takes longer than all the rest.
        packages: Packages to use; by default those that are installed. Without jieba, Chinese
            words are pairs of characters.
    """

    def __init__(
        self,
        language: str = "",
        *,
        phrases: bool = False,
        packages: frozenset[str] | None = None,
    ) -> None:
        self._language = language
        self._phrases = phrases
        self._packages = installed_packages() if packages is None else packages

    @property
    def name(self) -> str:
        """Name with the packages that its output depends on."""
        return "+".join([BUILTIN, *sorted(self._packages)])

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Read a batch of texts; one extraction for each, in order."""
        return [self._read(text) for text in texts]

    def _read(self, text: str) -> Extraction:
        language = self._language or language_of(text) or _perhaps_english(text)
        phrases: tuple[Phrase, ...] = ()
        if self._phrases:
            phrases = find_phrases(text, language, self._packages)
        entities = find_entities(text, language, self._packages)
        if language != "zh" or "jieba" not in self._packages:
            forms = count_forms(text, language)
            return Extraction(language, fold_forms(forms, language), forms, entities, phrases)
        words, names = chinese.read(text)
        # Names in Latin letters stand beside the Chinese ones.
        both = tuple(sorted((*names, *entities), key=lambda entity: entity.spans[0]))
        return Extraction(language, words, {}, both, phrases)
