"""Relations to show: neighbours that share nothing are not compared, and the answer is the same."""

from collections.abc import Sequence

import numpy as np
import pytest

from es_simhash.questions.ranking import merged, scored_relations
from es_simhash.relation import resemblance
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.candidate import Candidate
from es_simhash.relation.relation import Relation
from es_simhash.relation.scoring import score_candidates, unshared_scores, with_commonness
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.semantics.semantic_similarity import SemanticSimilarity
from es_simhash.store.options import SearchOptions
from es_simhash.store.rows import Neighbour

LONG = " ".join(
    f"Sentence {n} tells of the {n}th ship that came into harbour {n}." for n in range(40)
)
TEXTS = {
    "long": LONG,
    # No shingle is the same, but nearly all runs of four characters are.
    "respelt": LONG.replace("Sentence", "Sentences")
    .replace("ship", "shops")
    .replace("into", "unto"),
    "revised": LONG.replace("ship", "boat"),
    "other": " ".join(f"Paragraph {n} is on bees, honey and gardens of {n}." for n in range(40)),
    "title": "The ship came into harbour",
    "titles": "The ships come into harbours",
    "word": "harbour",
}
SIMILARITIES = [0.0001, 0.05, 0.2, 0.31, 0.6, 0.95]


@pytest.fixture(scope="module")
def analysed() -> dict[str, AnalysedText]:
    return dict(zip(TEXTS, TextAnalyser().analyse(list(TEXTS.values())), strict=True))


def candidates_of(query: AnalysedText, texts: dict[str, AnalysedText]) -> list[Candidate]:
    return [
        Candidate(
            id,
            text,
            np.intersect1d(query.shingles, text.shingles, assume_unique=True),
            query.content_hash == text.content_hash,
            index="i",
        )
        for id, text in texts.items()
    ]


def neighbours_of(candidates: Sequence[Candidate], first: int) -> list[Neighbour]:
    near = []
    for place, candidate in enumerate(candidates, first):
        value = SIMILARITIES[place % len(SIMILARITIES)]
        meaning = SemanticSimilarity(value, 0.0, value)
        near.append(Neighbour(candidate.id, "i", meaning, candidate))
    return near


def shown(
    query: AnalysedText,
    candidates: Sequence[Candidate],
    neighbours: Sequence[Neighbour],
    options: SearchOptions,
) -> list[Relation]:
    scored = scored_relations(query, candidates, neighbours, options, VERSION_SCORE)
    return scored.with_coverage(options.select(scored.relations))


@pytest.mark.parametrize("min_score", [0.0, 0.1, 0.3, 0.6])
@pytest.mark.parametrize("first", range(len(SIMILARITIES)))
@pytest.mark.parametrize("id", TEXTS)
def test_the_answer_is_that_of_comparing_every_neighbour(
    analysed: dict[str, AnalysedText], id: str, first: int, min_score: float
) -> None:
    query = analysed[id]
    candidates = candidates_of(query, analysed)
    neighbours = neighbours_of(candidates[1:], first)
    options = SearchOptions(min_score=min_score)
    by_shingles = with_commonness(score_candidates(query, candidates, VERSION_SCORE), candidates)
    everything = options.select(merged(by_shingles, neighbours, options))
    assert shown(query, candidates, neighbours, options) == everything


@pytest.mark.parametrize("id", TEXTS)
def test_no_text_that_shares_no_shingle_has_a_higher_score_than_is_possible(
    analysed: dict[str, AnalysedText], id: str
) -> None:
    query = analysed[id]
    strangers = [each for each in candidates_of(query, analysed) if not len(each.shared)]
    scores = [relation.score for relation in score_candidates(query, strangers, VERSION_SCORE)]
    assert strangers
    greatest = unshared_scores(query, strangers)
    assert all(score <= most for score, most in zip(scores, greatest, strict=True))


def test_what_shares_little_is_aligned_early_however_near_it_is_in_meaning() -> None:
    story = " ".join(f"Ship number {n} brought {n} crates of oranges." for n in range(60))
    others = " ".join(f"The choir of village {n} sang {n} old songs." for n in range(60))
    quoting = f"{others} {' '.join(story.split()[:30])}"
    query, *hits = TextAnalyser().analyse([story, quoting, others])
    candidates = candidates_of(query, dict(zip(("quoting", "others"), hits, strict=True)))
    for similarity in (0.0, 0.2, 0.35, 0.9):
        meaning = SemanticSimilarity(similarity, 0.0, similarity)
        near = [Neighbour("quoting", "i", meaning, hits[0])]
        scored = scored_relations(query, candidates, near, SearchOptions(), VERSION_SCORE)
        assert scored.weak == [("i", "quoting")]


def test_neighbours_that_are_not_shown_are_not_compared(
    analysed: dict[str, AnalysedText], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = analysed["long"]
    candidates = candidates_of(query, {"other": analysed["other"], "revised": analysed["revised"]})
    far = [Neighbour("other", "i", SemanticSimilarity(0.1, 0.0, 0.1), candidates[0])]
    compared = []
    nearest = resemblance._nearest

    def counted(one: object, others: object, starts: object) -> object:
        compared.append(len(starts))  # type: ignore[arg-type]
        return nearest(one, others, starts)  # type: ignore[arg-type]

    monkeypatch.setattr(resemblance, "_nearest", counted)
    [found] = shown(query, candidates, far, SearchOptions())
    assert (found.id, compared) == ("revised", [1])
