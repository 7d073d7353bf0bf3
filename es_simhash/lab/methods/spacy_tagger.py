"""Parts of speech of the words of English texts, by a trained spaCy pipeline (extra: spacy)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from es_simhash.errors import MissingExtra
from es_simhash.lab.methods.parts_of_speech import NOUN, OTHER, VERB
from es_simhash.semantics.extractors.spacy_pipeline import require_spacy
from es_simhash.semantics.languages.words import normals_of

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
        found = []
        for document in self._pipeline.pipe(map(_encodable, texts)):
            votes: dict[str, Counter[str]] = defaultdict(Counter)
            words = normals_of([token.text for token in document], _LANGUAGE)
            for word, token in zip(words, document, strict=True):
                votes[word][_KINDS.get(token.pos_, OTHER)] += 1
            found.append({word: kinds.most_common(1)[0][0] for word, kinds in votes.items()})
        return found
