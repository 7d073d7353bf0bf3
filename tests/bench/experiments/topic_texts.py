"""Five topics among noise, from the evaluation data; and one report a topic with edited copies."""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.support import datasets

TOPICS = 5
# Texts are cut off there: the longest noise would take most of the time.
_CHARACTERS = 2000
_ENGLISH_NOISE = (
    "bib_records", "ecbplus", "pan13_text_alignment", "pep_versions", "clough_stevenson",
)  # fmt: skip
_CHINESE_NOISE = ("weibo_topics_zh", "law_versions_zh")
_CHINESE_FILES = (
    ("ner_weibo_zh", "dev.jsonl"), ("ner_weibo_zh", "test.jsonl"), ("stsb_multi", "test_zh.jsonl"),
)  # fmt: skip
_SHORTEST_REPORT = 500


@dataclass(frozen=True)
class Collection:
    """Texts of topics, and texts of none.

    Attributes:
        name: Language.
        topics: The texts of each topic.
        noise: The other texts.
    """

    name: str
    topics: Sequence[Sequence[str]]
    noise: Sequence[str]

    @property
    def texts(self) -> list[str]:
        """All texts, those of topics first."""
        return [text for topic in (*self.topics, self.noise) for text in topic]

    @property
    def labels(self) -> list[int]:
        """The number of the topic of each text; −1 for noise."""
        of_topics = [number for number, topic in enumerate(self.topics) for _ in topic]
        return [*of_topics, *[-1] * len(self.noise)]


def english(most: int) -> Collection:
    """Return the topics of BBC news among records, other news, stories and proposals.

    Raises:
        InputError: There is no evaluation data.
    """
    noise = [each["text"] for name in _ENGLISH_NOISE for each in datasets.documents(name)]
    return _collection("English", _topics("bbc_news"), noise, most)


def chinese(most: int) -> Collection:
    """Return the largest topics of THUCNews among short messages, sentences and laws.

    Raises:
        InputError: There is no evaluation data.
    """
    noise = [each["text"] for name in _CHINESE_NOISE for each in datasets.documents(name)]
    for name, file in _CHINESE_FILES:
        lines = datasets.data_file(name, file).read_text("utf-8").splitlines()
        noise.extend(text for line in lines for text in _texts_of(json.loads(line)))
    return _collection("Chinese", _topics("thucnews_zh"), noise, most)


def _texts_of(row: dict[str, str]) -> Iterator[str]:
    yield from (row[name] for name in ("text", "text1", "text2") if name in row)


def _topics(name: str) -> dict[str, list[str]]:
    topics = defaultdict(list)
    for each in datasets.documents(name):
        title = f"{each['title']}\n" if each.get("title") else ""
        topics[each["topic"]].append(title + each["text"])
    return topics


def _collection(
    name: str, topics: dict[str, list[str]], noise: Sequence[str], most: int
) -> Collection:
    largest = Counter({topic: len(texts) for topic, texts in topics.items()}).most_common(TOPICS)
    chosen = [[text[:_CHARACTERS] for text in topics[topic][:most]] for topic, _ in largest]
    return Collection(name, chosen, [text[:_CHARACTERS] for text in noise[: most * 20]])


def edited(collection: Collection, share: float, copies: int) -> Collection:
    """Return the collection with one report a topic and its edited copies in place of the topics.

    Of each copy up to that share of the words is replaced by words of other texts of the topic, how
    many is drawn evenly; in Chinese pairs of characters are.

    Args:
        collection: With real topics.
        share: Greatest share of the words that is replaced.
        copies: Texts of a topic.
    """
    generator = random.Random(5)
    topics = []
    for topic in collection.topics:
        report = next((text for text in topic if len(text) >= _SHORTEST_REPORT), topic[0])
        own = _units(report)
        others = [unit for text in topic[:50] if text is not report for unit in _units(text)]
        topics.append(
            [_copy(own, others, generator.uniform(0, share), generator) for _ in range(copies)]
        )
    return Collection(collection.name, topics, collection.noise)


def _units(text: str) -> list[str]:
    """Return the words of a text, with what follows them; of Chinese pairs of characters."""
    if sum(map(str.isspace, text)) * 12 > len(text):
        return [f"{word} " for word in text.split(" ")]
    return [text[start : start + 2] for start in range(0, len(text), 2)]


def _copy(own: Sequence[str], others: Sequence[str], share: float, generator: random.Random) -> str:
    chosen = [generator.choice(others) if generator.random() < share else unit for unit in own]
    return "".join(chosen)
