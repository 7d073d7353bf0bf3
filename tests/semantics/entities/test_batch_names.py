"""Named entities of a batch, compared with those of each text by itself."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash.semantics.entities.batch_names import find_batch_entities
from es_simhash.semantics.entities.entity_rules import find_entities
from es_simhash.semantics.semantic_profile import names_and_counts

PACKAGES = frozenset[str]()
WORDS = [
    *("The", "of the", "van der", "Anna", "Brown", "BROWN", "Paris", "U.S.", "J.", "St.", "Mr"),
    *("Monday", "4 March", "Jr.", "O'Neil", "Neil's", "Ltd", "AT&T", "IBM", "EU", "Time", "Sales"),
    *("walked", "quietly", "ЖЕНЕВА", "Élysée", "L'Europe", "Der", "Haus", "Berlin", "Xylokraft"),
    *("İzmir", "Köln\u00a0Messe", "--", "'", "’s", ".", "!", "?", ":", "•", "“", "\u2028", "\r\n"),
    *("\n", "\n\n", "|", "12.5", "Sales\u00a03.4", "中国"),
]
TEXTS = [
    "Ad Sales Boost Profit At Time Warner\n\nSales at Time Warner rose.",
    "Prices fell. Traders waited. Apple fell. Nobody at Apple talked.",
    "SHARES IN NATO FALL AS IBM AND PARIS TALK\nNATO and Nato, then NATO: IBM waited in Paris.",
    "Am Montag traf Angela Merkel im Haus Frau Merkel. Die Kanzlerin kam aus Xylohausen.",
    "A text of lines that were cut so that none of them is\nlonger than Gordon Brown would have it"
    ", whom Mr Brown\nand all of his friends from Saint Andrews know as one\nof the two who came.",
    "",
]
LANGUAGES = ["en", "de", "fr", "zh", "", "lb"]


def described(entities: object) -> list[tuple[object, ...]]:
    return [
        (each.text, each.count, each.spans, each.label)
        for each in entities  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_of_a_batch_are_those_of_each_text(language: str) -> None:
    found = find_batch_entities(TEXTS, [language] * len(TEXTS), PACKAGES)
    expected = [find_entities(text, language, PACKAGES) for text in TEXTS]
    assert [described(each) for each in found] == [described(each) for each in expected]


@pytest.mark.long
@settings(deadline=None, max_examples=300)  # the first text reads the word lists
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join) | st.text(), max_size=4)
)
def test_names_of_any_batch_are_those_of_each_text(texts: list[str]) -> None:
    for first in range(len(LANGUAGES)):
        languages = [LANGUAGES[(first + place) % len(LANGUAGES)] for place in range(len(texts))]
        found = find_batch_entities(texts, languages, PACKAGES)
        for text, language, entities in zip(texts, languages, found, strict=True):
            assert described(entities) == described(find_entities(text, language, PACKAGES))


def test_names_and_counts_are_known_without_their_places() -> None:
    (entities,) = find_batch_entities([TEXTS[2]], ["en"], PACKAGES)
    alone = find_entities(TEXTS[2], "en", PACKAGES)
    names, counts = names_and_counts(entities)
    assert [*zip(names, counts, strict=True)] == [(each.text, each.count) for each in alone]
    assert names_and_counts(alone) == ([*names], [*counts])
    assert (len(entities), entities[0], entities[1:]) == (len(alone), alone[0], alone[1:])
    assert entities == alone
    assert pickle.loads(pickle.dumps(entities)) == alone
