"""Parts of speech of words: noun, verb or other.

Of words alone, Chinese ones from the tags of jieba's dictionary (extra: chinese), English ones from
a short list of frequent verbs and adjectives and from suffixes; what neither knows is a noun. `make
bench-parts-of-speech` prints how often that is right. Of the words of English texts, from a trained
spaCy pipeline (extra: spacy).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from es_simhash.errors import MissingExtra
from es_simhash.semantics.extractors.spacy_pipeline import require_spacy
from es_simhash.semantics.languages.chinese_segmentation import dictionary_rows
from es_simhash.semantics.languages.word_lists import rule_words
from es_simhash.semantics.languages.words import normals_of

NOUN, VERB, OTHER = "noun", "verb", "other"

# Endings of words of so many letters and more, the longest first.
_SUFFIXES = (
    (OTHER, 6, ("able", "ible", "ical", "less", "eous", "ious", "ular", "ward", "wise", "some")),
    (OTHER, 5, ("ous", "ful", "ive", "ial", "ual", "ent", "ant", "ary", "ish", "ory", "nal")),
    (OTHER, 4, ("ly", "ic", "al")),
    (NOUN, 6, ("ment", "ness", "ship", "sion", "tion", "ance", "ence", "ling", "hood")),
    (NOUN, 5, ("ity", "ism", "ist", "age")),
    (VERB, 5, ("ify", "ise", "ize", "ate", "ing", "ed")),
)
_ENDINGS = {
    ending: (kind, letters) for kind, letters, endings in reversed(_SUFFIXES) for ending in endings
}
_LENGTHS = sorted({len(ending) for ending in _ENDINGS}, reverse=True)
_INFLECTIONS = ("s", "es", "d", "ed", "ing")


def english_kind(word: str) -> str:
    """Return the part of speech of an English word in lower case."""
    if word in rule_words("adjective", "en"):
        return OTHER
    if _verb_of(word):
        return VERB
    for length in _LENGTHS:
        kind, letters = _ENDINGS.get(word[-length:], (NOUN, 0))
        if letters and len(word) >= letters:
            return kind
    return NOUN


def _verb_of(word: str) -> bool:
    """Check whether a word is a listed verb or a regular form of one."""
    verbs = rule_words("verb", "en")
    if word in verbs:
        return True
    for ending in _INFLECTIONS:
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            doubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
            if {stem, f"{stem}e", doubled} & verbs:
                return True
    return False


@lru_cache(maxsize=1)
def _chinese_tags() -> dict[str, str]:
    """Return the tag of each word of jieba's dictionary."""
    return {word: tag for word, _, tag in dictionary_rows()}


def chinese_kind(word: str) -> str:
    """Return the part of speech of a Chinese word; a word that is not listed is a noun.

    Raises:
        MissingExtra: jieba is not installed.
    """
    tag = _chinese_tags().get(word, "n")
    return NOUN if tag.startswith("n") else VERB if tag.startswith("v") else OTHER


def kinds_of(words: Iterable[str], language: str) -> dict[str, str]:
    """Return the part of speech of each word, in English ("en") or Chinese ("zh").

    Raises:
        MissingExtra: jieba is not installed, for Chinese.
    """
    kind = chinese_kind if language == "zh" else english_kind
    return {word: kind(word) for word in words}


_KINDS = {"NOUN": NOUN, "PROPN": NOUN, "VERB": VERB}
_LANGUAGE = "en"
_UNUSED = ("ner", "parser", "lemmatizer")


def _encodable(text: str) -> str:
    """Return a text without halves of characters, which no tokeniser takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


class SpacyTagger:
    """Tags the words of texts.

    Args:
        pipeline: A loaded pipeline that sets `token.pos_`.
    """

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline

    @classmethod
    def installed(cls, method: str) -> "SpacyTagger":
        """Return a tagger of the first English pipeline that is installed.

        Args:
            method: Name of the method that needs it.

        Raises:
            MissingExtra: spaCy is not installed, or no English pipeline is.
        """
        spacy = require_spacy()
        names = sorted(
            name for name in spacy.util.get_installed_models() if name.startswith(f"{_LANGUAGE}_")
        )
        if not names:
            raise MissingExtra(
                f"Method {method!r} needs a trained English pipeline of spaCy: "
                "`python -m spacy download en_core_web_sm`."
            )
        return cls(spacy.load(names[0], exclude=_UNUSED))

    @property
    def name(self) -> str:
        """Name and version of the pipeline."""
        meta = self._pipeline.meta
        return f"{meta['lang']}_{meta['name']} {meta['version']}"

    def kinds_of(self, texts: Sequence[str]) -> list[dict[str, str]]:
        """Return the part of speech that each word mostly has in each text, by its normal form."""
        kinds_by_text = []
        for document in self._pipeline.pipe(map(_encodable, texts)):
            votes: dict[str, Counter[str]] = defaultdict(Counter)
            words = normals_of([token.text for token in document], _LANGUAGE)
            for word, token in zip(words, document, strict=True):
                votes[word][_KINDS.get(token.pos_, OTHER)] += 1
            kinds_by_text.append(
                {word: kinds.most_common(1)[0][0] for word, kinds in votes.items()}
            )
        return kinds_by_text
