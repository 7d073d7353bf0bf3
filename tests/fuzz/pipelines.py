"""Hostile texts in spaCy pipelines: blank ones, with the components of the package and without."""

import random
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from es_simhash.semantics.semantic_profile import Extraction
from tests.fuzz.hostile import hostile_text, hostile_texts

# Whose tokenisers need no further package, and one that has none (`zh`).
_LANGUAGES = ("en", "xx", "ar", "zh")
# Texts of a batch.
_TEXTS = 5
_LABELS = ("NAME", "DATE", "", "\u202e", "X" * 300)


def missing_package() -> str | None:
    """Return the package without which there are no pipelines; None where it is installed."""
    return None if find_spec("spacy") else "spacy"


@cache
def _pipeline(language: str, rules: bool) -> Any:
    import spacy

    from es_simhash.semantics.extractors import spacy_components

    nlp = spacy.blank(language)
    # A piece of a longer text is cut where a pipeline takes no more.
    nlp.max_length = 400
    if rules:
        nlp.add_pipe("sentencizer")
        ruler: Any = nlp.add_pipe("entity_ruler")
        ruler.add_patterns([{"label": "PLACE", "pattern": word} for word in ("Paris", "a b", "人")])
        nlp.add_pipe(spacy_components.ENTITY_COMPONENT)
    nlp.add_pipe(spacy_components.CONCEPT_COMPONENT)
    return nlp


@cache
def _extractor(language: str) -> Any:
    from es_simhash.semantics.extractors.spacy_pipeline import SpacyExtractor

    name = f"blank:{language}"
    return SpacyExtractor(name if language == "zh" else _pipeline(language, rules=True))


def read_by_pipelines(chosen: random.Random) -> int:
    """Extract from texts by the extractor, by components, and from documents made by hand."""
    texts = [
        *hostile_texts(chosen, _TEXTS),
        f"{hostile_text(chosen)} They met Anna Brown in Paris.",
    ]
    extractions = _extractor(chosen.choice(_LANGUAGES)).extract(texts)
    assert len(extractions) == len(texts)
    for text, extraction in zip(texts, extractions, strict=True):
        _check(extraction, text)
    nlp = _pipeline(chosen.choice(_LANGUAGES[:-1]), chosen.random() < 0.5)
    for text in texts:
        # spaCy itself takes no half of a character.
        whole = text.encode("utf-8", "replace").decode()[: nlp.max_length]
        _check(nlp(whole)._.es_simhash, whole)
    _check_made(_made_by_hand(nlp, texts, chosen), nlp)
    return 2 * len(texts) + 1


def _made_by_hand(nlp: Any, texts: Sequence[str], chosen: random.Random) -> Any:
    """Return a document with any words, and entities of any labels at any place."""
    from spacy.tokens import Doc, Span

    words = [
        word for text in texts[:3] for word in text.encode("utf-8", "replace").decode().split()
    ]
    words = words[:40] or ["a"]
    spaces = [chosen.random() < 0.7 for _ in words]
    doc = Doc(nlp.vocab, words=words, spaces=spaces)
    start = chosen.randrange(len(words))
    end = min(len(words), start + chosen.randrange(1, 5))
    doc.set_ents([Span(doc, start, end, label=chosen.choice(_LABELS))])
    return doc


def _check_made(doc: Any, nlp: Any) -> None:
    text = doc.text
    for _, component in nlp.pipeline:
        doc = component(doc)
    assert doc.text == text
    _check(doc._.es_simhash, text)


def _check(extraction: Extraction, text: str) -> None:
    """Check that what was found is where the extraction says."""
    spans = [span for entity in extraction.entities for span in entity.spans]
    spans += [span for phrase in extraction.phrases for span in phrase.spans]
    assert all(0 <= start < end <= len(text) for start, end in spans), spans
    assert all(entity.text.strip() for entity in extraction.entities)
    assert all(count > 0 for count in extraction.words.values())
