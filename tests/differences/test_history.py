"""Since when a sentence stands there, over the versions of a document."""

from itertools import pairwise

from es_simhash.differences.history import BlamedSentence, Version, blamed_sentences, steps_of
from es_simhash.differences.text_changes import ReadText

ROOF = "The roof of the house is repaired by the landlord every summer."
GARDEN = "The tenant keeps the garden and the yard in good order."
FEE = "The fee is due within 16 days of the invoice."
ANIMALS = "No animals are kept without the consent of all neighbours."


def blamed(*texts: str) -> dict[str, BlamedSentence]:
    versions = [Version(f"v{number}") for number in range(1, len(texts) + 1)]
    found = blamed_sentences(versions, [ReadText(text) for text in texts])
    assert "".join(texts[-1].split()) == "".join(
        "".join(blamed.sentence.text.split()) for blamed in found
    )
    return {blamed.sentence.text: blamed for blamed in found}


def since(found: dict[str, BlamedSentence]) -> dict[str, str]:
    return {text: blamed.since.id for text, blamed in found.items()}


def test_each_sentence_has_the_version_that_brought_it() -> None:
    found = blamed(ROOF, f"{ROOF} {GARDEN}", f"{FEE} {ROOF} {GARDEN}")
    assert since(found) == {FEE: "v3", ROOF: "v1", GARDEN: "v2"}


def test_an_edited_sentence_has_the_edit_and_the_origin_of_its_words() -> None:
    newer = FEE.replace("16", "18")
    found = blamed(f"{ROOF} {FEE}", f"{ROOF} {newer}", f"{ROOF} {newer}")
    assert since(found) == {ROOF: "v1", newer: "v2"}
    assert found[newer].first.id == "v1"


def test_words_that_were_taken_out_change_a_sentence() -> None:
    shorter = GARDEN.replace(" and the yard", "")
    found = blamed(GARDEN, f"{GARDEN} {ROOF}", f"{shorter} {ROOF}")
    assert since(found) == {shorter: "v3", ROOF: "v2"}


def test_white_space_changes_nothing() -> None:
    found = blamed(f"{ROOF} {FEE}", f"{ROOF}\n\n{FEE.replace(' ', '  ')}")
    assert set(since(found).values()) == {"v1"}


def test_a_moved_sentence_keeps_its_origin() -> None:
    a = "\n\n".join([ROOF, GARDEN, FEE, ANIMALS])
    b = "\n\n".join([GARDEN, FEE, ANIMALS, ROOF])
    assert set(since(blamed(a, b, b)).values()) == {"v1"}


def test_a_sentence_that_was_gone_for_a_while_is_new_again() -> None:
    assert since(blamed(f"{ROOF} {FEE}", FEE, f"{FEE} {ROOF}")) == {FEE: "v1", ROOF: "v3"}


def test_one_version_and_an_empty_one() -> None:
    assert since(blamed(ROOF)) == {ROOF: "v1"}
    assert blamed(ROOF, "") == {}
    assert since(blamed("", ROOF)) == {ROOF: "v2"}


def test_the_steps_are_those_of_neighbours() -> None:
    texts = [FEE, FEE.replace("16", "18"), FEE.replace("16", "20")]
    versions = [Version(f"v{number}") for number in range(3)]
    steps = list(steps_of(versions, list(map(ReadText, texts))))
    assert [(step.older, step.newer) for step in steps] == list(pairwise(versions))
    told = [
        (change.a and change.a.text, change.b and change.b.text)
        for step in steps
        for change in step.changes.key_changes
    ]
    assert told == [("16", "18"), ("18", "20")]
