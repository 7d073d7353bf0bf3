"""Entities without a model against hand annotation, and how fast texts are read.

python -m tests.bench.entities [--data DIR]

Spans count without their types. WikiGold is read document by document, its sentences joined by a
space; WNUT17 and Weibo message by message, of Weibo the names only. The rules were written with
WNUT17 dev, Weibo dev and every other document of WikiGold in view, so that the remaining documents
of WikiGold stand on a line of their own.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from es_simhash.semantics.entities.entity_rules import find_entities
from es_simhash.semantics.extractors.builtin import BuiltinExtractor, find_phrases
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.detection import detect_language
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.semantic_profile import Entity
from tests.bench.program import measure, run
from tests.support.datasets import data_file, documents

Span = tuple[int, int]
Annotated = tuple[str, set[Span]]


class Score(NamedTuple):
    """Precision and recall."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def exact(found: Iterable[set[Span]], annotated: Iterable[set[Span]]) -> Score:
    """Score the spans that were found, both ends being right."""
    pairs = list(zip(found, annotated, strict=True))
    hits = sum(len(ours & theirs) for ours, theirs in pairs)
    return _score(hits, hits, pairs)


def overlapping(found: Iterable[set[Span]], annotated: Iterable[set[Span]]) -> Score:
    """Score the spans that were found, one shared character being enough."""
    pairs = list(zip(found, annotated, strict=True))
    right = sum(_touches(span, theirs) for ours, theirs in pairs for span in ours)
    recalled = sum(_touches(span, ours) for ours, theirs in pairs for span in theirs)
    return _score(right, recalled, pairs)


def _score(right: int, recalled: int, pairs: Sequence[tuple[set[Span], set[Span]]]) -> Score:
    ours = sum(len(found) for found, _ in pairs)
    theirs = sum(len(annotated) for _, annotated in pairs)
    return Score(right / max(1, ours), recalled / max(1, theirs))


def _touches(span: Span, others: set[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def wikigold() -> list[Annotated]:
    """Read WikiGold, one text a document."""
    texts: dict[str, str] = {}
    spans: dict[str, set[Span]] = {}
    for sentence in _lines("ner_wikigold", "sentences"):
        name = sentence["doc"]
        before = f"{texts[name]} " if name in texts else ""
        texts[name] = before + sentence["text"]
        spans.setdefault(name, set()).update(_spans(sentence, len(before)))
    return [(texts[name], spans[name]) for name in texts]


def messages(name: str, part: str, kinds: str = "") -> list[Annotated]:
    """Read messages with their entities, those whose type ends in `kinds`."""
    return [(each["text"], _spans(each, 0, kinds)) for each in _lines(name, part)]


def _lines(name: str, part: str) -> list[dict[str, Any]]:
    with data_file(name, f"{part}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _spans(sentence: dict[str, Any], shift: int, kinds: str = "") -> set[Span]:
    return {
        (entity["start"] + shift, entity["end"] + shift)
        for entity in sentence["entities"]
        if entity["type"].endswith(kinds)
    }


def _print_scores(
    name: str, texts: Sequence[Annotated], find: Callable[[str], tuple[Entity, ...]]
) -> None:
    found = [{span for entity in find(text) for span in entity.spans} for text, _ in texts]
    annotated = [spans for _, spans in texts]
    cells = [
        f"{score.precision:9.3f} {score.recall:6.3f} {score.f1:5.3f}"
        for score in (exact(found, annotated), overlapping(found, annotated))
    ]
    print(f"{name:<28}{''.join(cells)}")


def print_scores() -> None:
    """Print precision, recall and F1 of each set."""
    english = partial(find_entities, language="en")
    print(f"{'':<28}{'exact P':>9} {'R':>6} {'F1':>5}{'any P':>9} {'R':>6} {'F1':>5}")
    parts = [
        lambda: _print_scores("WikiGold", wikigold(), english),
        lambda: _print_scores("WikiGold, documents not seen", wikigold()[1::2], english),
        lambda: _print_scores("WNUT17 test", messages("ner_wnut17", "test"), english),
    ]
    if chinese.is_available():
        read = partial(messages, "ner_weibo_zh", "test", ".NAM")
        parts.append(
            lambda: _print_scores(
                "Weibo test", read(), lambda text: chinese.words_and_names(text)[1]
            )
        )
    measure(parts)


def print_speed() -> None:
    """Print how many texts a second each part reads, on one core."""
    print(f"\n{'texts a second of one core':<28}")
    measure([_print_english_speed, _print_chinese_speed])


def _print_english_speed() -> None:
    texts = [each["text"] for each in documents("bbc_news")]
    extractor = BuiltinExtractor()
    _print_rate("BBC: language", detect_language, texts)
    _print_rate("BBC: words", partial(count_words, language="en"), texts)
    _print_rate("BBC: entities", partial(find_entities, language="en"), texts)
    _print_rate("BBC: extraction", lambda text: extractor.extract([text]), texts)
    _print_rate("BBC: phrases", partial(find_phrases, language="en"), texts)


def _print_chinese_speed() -> None:
    texts = [each["text"] for each in documents("thucnews_zh")]
    extractor = BuiltinExtractor()
    _print_rate("THUCNews: extraction", lambda text: extractor.extract([text]), texts)


def _print_rate(name: str, read: Callable[[str], object], texts: Sequence[str]) -> None:
    read(texts[0])  # word lists are read at the first text
    start = time.process_time()
    for text in texts:
        read(text)
    print(f"{name:<28}{len(texts) / (time.process_time() - start):9,.0f}")


def main(argv: Sequence[str] | None = None) -> int:
    """Print what the rules find, and how fast."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder of the data sets; else ES_SIMHASH_DATA")
    options = parser.parse_args(argv)
    if options.data:
        os.environ["ES_SIMHASH_DATA"] = options.data
    measure([print_scores, print_speed])
    return 0


if __name__ == "__main__":
    run(main)
