"""One phrase for each kind of relation, for readers."""

import pytest

from es_simhash import compare, reason
from es_simhash.relation.model import Coverage, Relation

TEXT = (
    "The harbour opens at six in the morning. Boats wait outside until the light is green. "
    "The pilot boards every ship of more than fifty metres, and the fee is due at once. "
)
OTHER = "Nobody knows when the quarry was dug, nor by whom, and no document mentions it. "


@pytest.mark.parametrize(
    ("one", "other", "part"),
    [
        (TEXT, TEXT.upper(), "the same text"),
        (TEXT * 2, TEXT * 2 + "Dogs stay ashore.", "of this text"),
        (TEXT, TEXT + OTHER * 4, "100% of this text appears in it"),
        (TEXT + OTHER * 4, TEXT, "100% of it appears in this text"),
        ("One.", "Two.", "not related"),
    ],
)
def test_a_phrase_says_why(one: str, other: str, part: str) -> None:
    assert part in reason(compare(one, other))


def test_a_shared_passage_is_quoted() -> None:
    numbers = " ".join(f"alpha{n} beta{n} gamma{n}." for n in range(60))
    others = " ".join(f"delta{n} epsilon{n} zeta{n}." for n in range(60))
    relation = compare(f"{numbers} {TEXT}", f"{others} {TEXT}")
    assert relation.kind == "shares_passages"
    assert "“The harbour opens at six" in reason(relation)


def test_a_neighbour_without_evidence_claims_nothing() -> None:
    assert reason(Relation("a", "semantic", 0.4, Coverage(0, 0))) == "about the same subject"
