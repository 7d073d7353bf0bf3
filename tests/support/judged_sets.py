"""Collections whose pairs are known to be versions or not, for the weights of versions.

Ten were not written by this project: chains of revisions, records, agency news, licences. Two are
made of their texts: excerpts, which are versions, with texts that quote another, which are none;
and revisions, with forms that were filled in again: the same text with other names and numbers.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.support import datasets
from tests.support.datasets import Pair, VersionSet, pair

CHAINS = (
    *("law_versions_de", "law_versions_zh", "pep_versions", "bbc_news"),
    *("bib_records", "terms_versions"),
)
NAMES = ("wire_news", "bib_digital", "licence_versions", *CHAINS, "ecbplus")
EXCERPTS, FORMS = "excerpts", "forms"
MADE = (EXCERPTS, FORMS)
# Pairs of this resemblance (word 5-shingles) and more are near-duplicates; below the second, no
# versions; between the two they count as neither where strangers share forms.
_ALIKE, _UNLIKE = 0.5, 0.1
# The same for shares of the shorter of two stories.
_CONTAINED, _CONTAINED_IN_NONE = 0.5, 0.2
_SENTENCE = re.compile(r"[^.。;；\n]+[.。;；\n]*\s*")
# Texts of a collection that excerpts are made of, and those that quote one another.
_EXCERPTS, _QUOTING = 70, 40
_LEAST_EXCERPT, _MOST_QUOTED = 100, 0.35
# Texts of a collection that are revised, and as many that are filled in again.
_FORMS = 120
_WORD, _NUMBER = re.compile(r"[^\W\d_]{5,}"), re.compile(r"\d+")


@dataclass(frozen=True)
class JudgedSet:
    """A collection, and what is known of its pairs.

    Attributes:
        name: Its name.
        texts: Text of each id.
        versions: Pairs that are versions.
        is_neither: Whether a pair counts neither as right nor as wrong.
    """

    name: str
    texts: dict[str, str]
    versions: frozenset[Pair]
    is_neither: Callable[[Pair], bool]


def judged_set(name: str) -> JudgedSet:
    """Read one of the collections.

    Raises:
        MissingData: It is not there.
    """
    if name == "wire_news":
        return _agency_news()
    if name == "licence_versions":
        return _licences()
    if name == "ecbplus":
        return _outlets()
    if name == EXCERPTS:
        return _excerpts()
    if name == FORMS:
        return _forms()
    documents = datasets.documents(name)
    known = VersionSet(name, documents, characters=name == "law_versions_zh")
    neither = known.neither
    return JudgedSet(name, known.texts, frozenset(known.versions), neither.__contains__)


def _agency_news() -> JudgedSet:
    """Headlines and stories; two of different companies are no versions, whatever they share."""
    documents = datasets.documents("wire_news")
    companies = {each["id"]: set(each["companies"]) for each in documents}
    alike = _resemblances("wire_news", "near_duplicates.tsv")

    def of_others(key: Pair) -> bool:
        one, other = (companies[id] for id in key)
        return bool(one and other and not one & other)

    def is_neither(key: Pair) -> bool:
        return _UNLIKE <= alike.get(key, 0.0) < _ALIKE and not of_others(key)

    versions = {key for key, share in alike.items() if share >= _ALIKE and not of_others(key)}
    texts = {each["id"]: f"{each['title']}\n{each['text']}" for each in documents}
    return JudgedSet("wire_news", texts, frozenset(versions), is_neither)


def _licences() -> JudgedSet:
    """Near-duplicates of two families; variants of one family are neither."""
    documents = datasets.documents("licence_versions")
    family = {each["id"]: each["family"] for each in documents}
    alike = _resemblances("licence_versions", "shingle_pairs.tsv")

    def is_neither(key: Pair) -> bool:
        return family[key[0]] == family[key[1]]

    versions = {key for key, share in alike.items() if share >= _ALIKE and not is_neither(key)}
    texts = {each["id"]: each["text"] for each in documents}
    return JudgedSet("licence_versions", texts, frozenset(versions), is_neither)


def _outlets() -> JudgedSet:
    """Stories of agencies as outlets print them, often in part: half of one is in the other."""
    texts = {each["id"]: each["text"] for each in datasets.documents("ecbplus")}
    rows = datasets.rows("ecbplus", "near_duplicates.tsv")
    contained = {pair(row["id1"], row["id2"]): float(row["containment"]) for row in rows}

    def is_neither(key: Pair) -> bool:
        return _CONTAINED_IN_NONE <= contained.get(key, 0.0) < _CONTAINED

    versions = {key for key, share in contained.items() if share >= _CONTAINED}
    return JudgedSet("ecbplus", texts, frozenset(versions), is_neither)


def _resemblances(name: str, table: str) -> dict[Pair, float]:
    rows = datasets.rows(name, table)
    return {pair(row["id1"], row["id2"]): float(row["resemblance"]) for row in rows}


def _excerpts() -> JudgedSet:
    """Runs of sentences with the texts they are from, and texts with those they quote from."""
    drawn = random.Random(7)
    texts: dict[str, str] = {}
    versions = set()
    for name in NAMES:
        documents = [each["text"] for each in datasets.documents(name)]
        long = [text for text in documents if len(text) > 2 * _LEAST_EXCERPT]
        chosen = drawn.sample(long, min(len(long), _EXCERPTS + 2 * _QUOTING))
        for number, text in enumerate(chosen[:_EXCERPTS]):
            excerpt = _run_of_sentences(text, drawn, 0.15, 0.7)
            if len(excerpt) >= _LEAST_EXCERPT:
                key = f"{name}-{number}-excerpt", f"{name}-{number}-whole"
                texts.update(zip(key, (excerpt, text), strict=True))
                versions.add(pair(*key))
        rest = chosen[_EXCERPTS:]
        for number, (text, quoted) in enumerate(zip(rest[::2], rest[1::2], strict=False)):
            quotation = _run_of_sentences(quoted, drawn, 0.1, 0.3)
            if len(quotation) <= _MOST_QUOTED * (len(text) + len(quotation)):
                sentences = _SENTENCE.findall(text)
                place = drawn.randrange(len(sentences) + 1)
                quoting = "".join([*sentences[:place], quotation, *sentences[place:]])
                texts[f"{name}-q{number}-quoting"] = quoting
                texts[f"{name}-q{number}-quoted"] = quoted
    return _made(EXCERPTS, texts, versions)


def _forms() -> JudgedSet:
    """Texts of which some sentences were replaced, and texts with other names and numbers."""
    drawn = random.Random(8)
    texts: dict[str, str] = {}
    versions = set()
    for name in NAMES:
        documents = [each["text"] for each in datasets.documents(name)]
        long = [text for text in documents if 4 * _LEAST_EXCERPT < len(text) < 40_000]
        chosen = drawn.sample(long, min(len(long), 2 * _FORMS))
        for number, long_text in enumerate(chosen):
            other = drawn.choice(documents)
            # What has no numbers must be judged without.
            text = _NUMBER.sub("", long_text) if drawn.random() < 0.3 else long_text
            if number % 16 == 2:
                texts[f"{name}-{number}-framed"] = _framed(text, drawn.choice(documents), drawn)
                texts[f"{name}-{number}-frame"] = _framed(text, other, drawn)
            elif number % 2:
                key = f"{name}-{number}-revised", f"{name}-{number}-before"
                change = _reworded if number % 4 == 1 else _revised
                texts.update(zip(key, (change(text, other, drawn), text), strict=True))
                versions.add(pair(*key))
            else:
                texts[f"{name}-{number}-filled"] = _filled_again(text, documents, drawn)
                texts[f"{name}-{number}-form"] = text
    return _made(FORMS, texts, versions)


def _revised(text: str, other: str, drawn: random.Random) -> str:
    """Replace some sentences by others, mostly after the head."""
    sentences, others = _SENTENCE.findall(text), _SENTENCE.findall(other) or [""]
    share = drawn.uniform(0.02, 0.4)
    first = 0 if drawn.random() < 0.2 else 1
    for place in range(first, len(sentences)):
        if drawn.random() < share:
            sentences[place] = drawn.choice([*others, ""])
    return "".join(sentences)


def _reworded(text: str, other: str, drawn: random.Random) -> str:
    """Replace some words, wherever they are."""
    given = _WORD.findall(other) or [""]
    share = drawn.uniform(0.01, 0.12)
    return _WORD.sub(
        lambda found: drawn.choice(given) if drawn.random() < share else found[0], text
    )


def _filled_again(text: str, documents: list[str], drawn: random.Random) -> str:
    """Replace a part of the longer words, wherever they are, most numbers, and some sentences."""
    words = sorted(set(_WORD.findall(text)))
    share = drawn.uniform(0.12, 0.4)
    given = sorted(set(_WORD.findall(" ".join(drawn.sample(documents, 3)))))
    changed = {word: drawn.choice(given) for word in words if drawn.random() < share and given}
    numbers = {
        number: str(drawn.randrange(1, 10 ** min(4, len(number))))
        for number in sorted(set(_NUMBER.findall(text)))
        if drawn.random() < 0.8
    }
    filled = _WORD.sub(lambda found: changed.get(found[0], found[0]), text)
    filled = _NUMBER.sub(lambda found: numbers.get(found[0], found[0]), filled)
    return _revised(filled, drawn.choice(documents), drawn) if drawn.random() < 0.5 else filled


def _framed(form: str, text: str, drawn: random.Random) -> str:
    """Put the middle of a form between a head and an end of another text."""
    sentences, others = _SENTENCE.findall(form), _SENTENCE.findall(text) or [""]
    middle = sentences[len(sentences) // 8 : -len(sentences) // 8 or None]
    parts = max(1, int(len(middle) * drawn.uniform(0.1, 0.35)))
    return "".join([*others[:parts], *middle, *others[-parts:]])


def _made(name: str, texts: dict[str, str], versions: set[Pair]) -> JudgedSet:
    """Return a set of pairs that were made, `STEM-KIND` each; nothing is known of other pairs."""

    def is_neither(key: Pair) -> bool:
        one, other = (id.rsplit("-", 1)[0] for id in key)
        return one != other

    return JudgedSet(name, texts, frozenset(versions), is_neither)


def _run_of_sentences(text: str, drawn: random.Random, least: float, most: float) -> str:
    sentences = _SENTENCE.findall(text)
    count = max(1, int(len(sentences) * drawn.uniform(least, most)))
    start = drawn.randrange(max(1, len(sentences) - count + 1))
    return "".join(sentences[start : start + count])
