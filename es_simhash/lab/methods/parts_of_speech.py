"""Parts of speech of words: noun, verb or other.

Of words alone, Chinese ones from the tags of jieba's dictionary (extra: chinese), English ones from
a short list of frequent verbs and adjectives and from suffixes; what neither knows is a noun. `make
bench-parts-of-speech` prints how often that is right. Of the words of English texts, from a trained
spaCy pipeline (extra: spacy).
"""

import logging
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from es_simhash.errors import MissingExtra
from es_simhash.semantics.extractors.spacy_pipeline import require_spacy
from es_simhash.semantics.languages.words import normals_of

NOUN, VERB, OTHER = "noun", "verb", "other"

_VERBS = frozenset(
    """
    accept achieve add admit agree aim allow announce apply argue arrange arrive ask attend avoid
    become begin believe belong break bring build buy carry catch choose claim collect come
    compare complain concern confirm consider consist contain continue contribute create cut deal
    decide deliver deny depend derive describe destroy develop die discover discuss draw drink
    drive eat emerge enable encourage enjoy ensure enter establish exist expect explain express
    fail fall feel fight find finish follow forget forgive gain get give go grant grow happen hate
    hear help hide hold hope identify imagine imply improve include increase indicate inform
    insist intend introduce invite involve join keep kill know lay lead learn leave lend let lie
    listen live lose love maintain make manage mean meet mention obtain occur offer open own pay
    perform permit prefer prepare prevent proceed promise prove provide pull put raise reach read
    realise receive recognise recommend reduce refer refuse relate remain remember remove replace
    reply require reveal ride rise run save say see seek seem sell send serve shake shut sing sit
    sleep speak spend stand stay steal stop submit suffer suggest suppose survive take talk teach
    tell tend think throw travel treat try understand urge use vary visit wait walk want warn wear
    win wish wonder write
    """.split()  # noqa: SIM905
)
_OTHERS = frozenset(
    """
    able again ago almost alone already also always another apart available away bad big black blue
    both brown certain clean clear close cold common current dark dead deep different dry early easy
    else empty enough even ever extra fair far fast few final fine first flat foreign former free
    fresh full further general good grand great green grey half happy hard heavy hence here high
    hot huge important instead just kind large last late likely little local long low main major
    many maybe mere modern more much near neat never new next nice no now often old once only open
    other own past perhaps plain poor possible present previous private proper public quick quiet
    quite rare raw real recent red rich right rough round safe same second several sharp short sick
    similar simple single slow small smooth so soft some soon special still strange strong such
    sure sweet tall then there thick thin third thus tight tiny together too top total true usual
    various vast very warm weak well wet white whole wide wild wise wrong yellow yet young
    """.split()  # noqa: SIM905
)
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
    if word in _OTHERS:
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
    if word in _VERBS:
        return True
    for ending in _INFLECTIONS:
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            doubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
            if {stem, f"{stem}e", doubled} & _VERBS:
                return True
    return False


@lru_cache(maxsize=1)
def _chinese_tags() -> dict[str, str]:
    """Return the tag of each word of jieba's dictionary.

    Raises:
        MissingExtra: jieba is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            jieba = import_module("jieba")
    except ImportError as error:
        raise MissingExtra(
            "Chinese parts of speech need jieba: pip install 'es-simhash[chinese]'."
        ) from error
    logging.getLogger("jieba").setLevel(logging.WARNING)
    with jieba.dt.get_dict_file() as lines:
        rows = (line.decode("utf-8").split() for line in lines)
        return {row[0]: row[2] for row in rows if len(row) > 2}


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
