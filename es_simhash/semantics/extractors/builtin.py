"""The extractor that needs no model: rules, word lists, and jieba for Chinese where installed."""

from collections.abc import Sequence

from es_simhash.semantics.entities.rules import find_entities
from es_simhash.semantics.extraction import Extraction, Phrase
from es_simhash.semantics.extractors.phrases import find_phrases
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.detection import detect_language
from es_simhash.semantics.languages.words import count_forms, count_words, fold_forms
from es_simhash.semantics.rarity import UNKNOWN_RARITY, rarity
from es_simhash.semantics.scheme import BUILTIN, installed_packages

# Texts without stop words, such as headlines, are English when this many of their words are.
_MIN_KNOWN_SHARE = 0.8
_SAMPLE_CHARACTERS = 2000


def _english_by_words(text: str) -> str:
    """Return `en` for a text without stop words most of whose words are English, else nothing."""
    if not text[:_SAMPLE_CHARACTERS].isascii():
        return ""
    words = count_words(text[:_SAMPLE_CHARACTERS], "en")
    known = rarity(words, "en", frozenset()) < UNKNOWN_RARITY
    return "en" if words and known.mean() >= _MIN_KNOWN_SHARE else ""


class BuiltinExtractor:
    """Extracts words, entities and phrases by rules; implements `Extractor`.

    Args:
        language: ISO 639-1 code when all texts are in one language; empty to detect that of each.
        phrases: Also extracts key phrases, which takes longer than all the rest.
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
        """Return one extraction for each text of a batch, in order."""
        return [self._extraction(text) for text in texts]

    def _extraction(self, text: str) -> Extraction:
        language = self._language or detect_language(text) or _english_by_words(text)
        phrases: tuple[Phrase, ...] = ()
        if self._phrases:
            phrases = find_phrases(text, language, self._packages)
        entities = find_entities(text, language, self._packages)
        if language != "zh" or "jieba" not in self._packages:
            forms = count_forms(text, language)
            return Extraction(language, fold_forms(forms, language), forms, entities, phrases)
        words, names = chinese.words_and_names(text)
        # The rules find the names in Latin letters.
        all_names = tuple(sorted((*names, *entities), key=lambda entity: entity.spans[0]))
        return Extraction(language, words, {}, all_names, phrases)
